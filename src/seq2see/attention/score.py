"""The score functions e_ti = score(s_t, h_i), one function each.

``s`` is the query (decoder state), ``h`` the memory (encoder states). What depends on ``h``
alone (keys) is computed once a sentence by the caller and arrives here ready:

    s, q   [B, T, K]     queries, projected where the score asks for it
    k      [B, K, S]     keys, positions last, so that every score of a product is one product
    e      [B, T, S]     scores
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from seq2see.model.shared import Gradients, Shared, deferred, product


def dot(s: Tensor, k: Tensor | Shared) -> Tensor:
    """e_ti = s_t · h_i (Luong 2015, eq. 8 "dot")."""
    return product(k, s)


def scaled_dot(s: Tensor, k: Tensor | Shared) -> Tensor:
    """e_ti = s_t · h_i / √d (Vaswani 2017, eq. 1)."""
    return product(k, s / math.sqrt(s.shape[-1]))


def general(s: Tensor, k: Tensor | Shared) -> Tensor:
    """e_ti = s_tᵀ W h_i (Luong 2015, eq. 8 "general"); the keys come as k_i = W h_i."""
    return product(k, s)


def cosine(s: Tensor, k: Tensor | Shared, temperature: Tensor) -> Tensor:
    """e_ti = τ cos(s_t, h_i) (Graves 2014, eq. 6); the keys come with length 1."""
    return product(k, torch.nn.functional.normalize(s, dim=-1) * temperature)


def location(s: Tensor, w: Tensor, length: int) -> Tensor:
    """e_t = W s_t (Luong 2015, eq. 8 "location"): row i of W is the score of position i."""
    return s @ w[:length].t()


def additive(q: Tensor, keys: AdditiveKeys) -> Tensor:
    """e_ti = vᵀ tanh(W s_t + U h_i) (Bahdanau 2014, A.1.2; Luong 2015, eq. 8 "concat").

    Luong's W[s; h] is W₁s + W₂h, so both papers' forms are this one.

    Args:
        q: W s_t [B, T, A].
        keys: U h_i and v.
    """
    # All queries at once would need [B, T, S, A]; row by row it is [B, S, A].
    with torch.autocast(q.device.type, enabled=False):
        return torch.stack([_Additive.apply(row, *keys) for row in q.unbind(1)], dim=1)


class AdditiveKeys:
    """What every query of the additive score meets, U h_i [B, S, A] and v [A].

    The gradients of both grow in place, query by query.
    """

    def __init__(self, k: Tensor, v: Tensor) -> None:
        self._sums: list[Tensor] = []
        self.k, self.v = deferred(self._gradients, k, v)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.k, self.v, self._sums))

    def _gradients(self) -> Gradients:
        gradients = tuple(self._sums) or (None, None)
        self._sums.clear()
        return gradients


class _Additive(torch.autograd.Function):
    """vᵀ tanh(q + k) with tanh(x) = 2σ(2x) − 1, and a backward pass that keeps only σ.

    torch's tanh costs ten times its sigmoid on the CPUs this was measured on, and the score is
    the most frequent large element-wise step of an additive model (docs/performance.md).
    """

    @staticmethod
    def forward(ctx: FunctionCtx, q: Tensor, k: Tensor, v: Tensor, sums: list[Tensor]) -> Tensor:
        half = (k + q.unsqueeze(1)).mul_(2).sigmoid_()  # σ(2(q + k)) [B, S, A]
        ctx.save_for_backward(half, v)
        ctx.sums = sums  # type: ignore[attr-defined]
        return (half @ (2 * v)).sub_(v.sum())

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (g,) = grads  # [B, S]
        half, v = ctx.saved_tensors  # type: ignore[attr-defined]
        sums: list[Tensor] = ctx.sums  # type: ignore[attr-defined]
        # d tanh = 1 − tanh² = 4σ(1 − σ)
        slope = torch.addcmul(half, half, half, value=-1).mul_(4 * v)
        g_v = 2 * (g.reshape(1, -1) @ half.view(-1, half.shape[-1])).squeeze(0) - g.sum()
        if sums:
            sums[0].addcmul_(slope, g.unsqueeze(-1))
            sums[1].add_(g_v)
        else:
            sums.extend([slope * g.unsqueeze(-1), g_v])
        return torch.bmm(g.unsqueeze(1), slope).squeeze(1), None, None, None
