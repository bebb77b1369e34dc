"""The score functions e_ti = score(s_t, h_i), one function each.

``s`` is the query (decoder state), ``h`` the memory (encoder states). What depends on ``h``
alone (keys) is computed once a sentence by the caller and arrives here ready:

    s, q   [B, T, K]     queries, projected where the score asks for it
    k      [B, K, S]     keys, positions last, so that every score of a product is one product
    e      [B, T, S]     scores
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from seq2see.model.shared import Shared, product


def dot(s: Tensor, k: Tensor | Shared) -> Tensor:
    """e_ti = s_t · h_i (Luong 2015, eq. 8 "dot")."""
    return product(s, k)


def scaled_dot(s: Tensor, k: Tensor | Shared) -> Tensor:
    """e_ti = s_t · h_i / √d (Vaswani 2017, eq. 1)."""
    return product(s / math.sqrt(s.shape[-1]), k)


def general(s: Tensor, k: Tensor | Shared) -> Tensor:
    """e_ti = s_tᵀ W h_i (Luong 2015, eq. 8 "general"); the keys come as k_i = W h_i."""
    return product(s, k)


def cosine(s: Tensor, k: Tensor | Shared, temperature: Tensor) -> Tensor:
    """e_ti = τ cos(s_t, h_i) (Graves 2014, eq. 6); the keys come with length 1."""
    return product(torch.nn.functional.normalize(s, dim=-1) * temperature, k)


def location(s: Tensor, w: Tensor, length: int) -> Tensor:
    """e_t = W s_t (Luong 2015, eq. 8 "location"): row i of W is the score of position i."""
    return s @ w[:length].t()


def additive(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """e_ti = vᵀ tanh(W s_t + U h_i) (Bahdanau 2014, A.1.2; Luong 2015, eq. 8 "concat").

    Luong's W[s; h] is W₁s + W₂h, so both papers' forms are this one.

    Args:
        q: W s_t [B, T, A].
        k: U h_i, positions before units [B, S, A].
        v: [A].
    """
    if q.shape[1] == 1:
        e: Tensor = _Additive.apply(q.squeeze(1), k, v)
        return e.unsqueeze(1)
    # All queries at once would need [B, T, S, A]; row by row it is [B, S, A].
    rows = [_Additive.apply(q[:, t], k, v) for t in range(q.shape[1])]
    return torch.stack(rows, dim=1)


class _Additive(torch.autograd.Function):
    """vᵀ tanh(q + k) with tanh(x) = 2σ(2x) − 1, and a backward pass that keeps only σ.

    torch's tanh costs ten times its sigmoid on the CPUs this was measured on, and the score is
    the most frequent large element-wise step of an additive model (docs/performance.md).
    """

    @staticmethod
    def forward(ctx: FunctionCtx, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        half = (k + q.unsqueeze(1)).mul_(2).sigmoid_()  # σ(2(q + k)) [B, S, A]
        ctx.save_for_backward(half, v)
        return (half @ (2 * v)).sub_(v.sum())

    @staticmethod
    def backward(ctx: FunctionCtx, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        (g,) = grad_outputs  # [B, S]
        half, v = ctx.saved_tensors  # type: ignore[attr-defined]
        flat = half.view(-1, half.shape[-1])
        grad_v = 2 * (g.reshape(1, -1) @ flat).squeeze(0) - g.sum()
        # d tanh = 1 − tanh² = 4σ(1 − σ)
        grad = torch.addcmul(half, half, half, value=-1).mul_(4 * v).mul_(g.unsqueeze(-1))
        return grad.sum(1), grad, grad_v
