"""The score functions e_ti = score(s_t, h_i), one function each.

``s`` is the query (decoder state), ``h`` the memory (encoder states). What depends on ``h``
alone (keys) is computed once a sentence by the caller and arrives here ready:

    s, q   [B, T, K]     queries, projected where the score asks for it
    k      [B, K, S]     keys, positions last, so that every score of a product is one product
    e      [B, T, S]     scores
"""

from __future__ import annotations

import math
from functools import partial

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
        rows = [_Additive.apply(row, keys.k, keys.v, keys) for row in q.unbind(1)]
        return torch.stack(rows, dim=1)


class AdditiveKeys:
    """What every query of the additive score meets, U h_i [B, S, A] and v [A].

    The gradients of both grow in place, query by query; v, a factor of them all, is multiplied
    in once at the end.
    """

    def __init__(self, k: Tensor, v: Tensor) -> None:
        self.twice_k, self.twice_v, self.sum_v = 2 * k.detach(), 2 * v.detach(), v.detach().sum()
        self._sums: list[Tensor] = []
        self.k, self.v = deferred(partial(_key_gradients, self._sums, self.twice_v), k, v)

    def add(self, g: Tensor, half: Tensor, slope: Tensor) -> None:
        """Takes in a query's gradient g [B, S], its σ and σ(1 − σ) [B, S, A]."""
        if not self._sums:
            zeros = torch.zeros_like(slope), half.new_zeros(1, half.shape[-1]), g.new_zeros(())
            self._sums.extend(zeros)
        for_k, for_v, constant = self._sums
        for_k.addcmul_(slope, g.unsqueeze(-1))
        for_v.addmm_(g.reshape(1, -1), half.flatten(0, 1))
        constant.add_(g.sum())


def _key_gradients(sums: list[Tensor], twice_v: Tensor) -> Gradients:
    """The gradients of U h_i and of v from the sums over queries."""
    if not sums:
        return None, None
    for_k, for_v, constant = sums
    sums.clear()
    return for_k.mul_(2 * twice_v), 2 * for_v.squeeze(0) - constant


class _Additive(torch.autograd.Function):
    """vᵀ tanh(q + k) with tanh(x) = 2σ(2x) − 1, and a backward pass that keeps only σ.

    torch's tanh costs ten times its sigmoid on the CPUs this was measured on, and the score is
    the most frequent large element-wise step of an additive model (docs/performance.md).
    """

    @staticmethod
    def forward(ctx: FunctionCtx, q: Tensor, k: Tensor, v: Tensor, keys: AdditiveKeys) -> Tensor:
        half = torch.add(keys.twice_k, q.unsqueeze(1), alpha=2).sigmoid_()  # σ(2(q + k)) [B, S, A]
        ctx.save_for_backward(half)
        ctx.keys = keys  # type: ignore[attr-defined]
        return (half @ keys.twice_v).sub_(keys.sum_v)

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (g,) = grads  # [B, S]
        (half,) = ctx.saved_tensors  # type: ignore[attr-defined]
        keys: AdditiveKeys = ctx.keys  # type: ignore[attr-defined]
        slope = torch.addcmul(half, half, half, value=-1)  # d tanh = 1 − tanh² = 4σ(1 − σ)
        keys.add(g, half, slope)
        g_q = torch.bmm(g.unsqueeze(1), slope).squeeze(1).mul_(2 * keys.twice_v)
        return g_q, None, None, None
