"""Softmax and cross-entropy over a large vocabulary without keeping the logits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from seq2see.model.functions import wide

CHUNK = 1 << 21
"""Logits formed at a time: few enough to stay in the cache until the softmax has read them."""
ROWS = 64
"""Positions are filled up to a multiple of this: each new shape of a product costs oneDNN more
to compile than it takes to run."""
IMPOSSIBLE = -1e4
"""The logit of an entry that takes no part: its probability is 0 in every format."""


class Taught(NamedTuple):
    """What a teacher predicts in place of a target token, its K likeliest entries.

    Attributes:
        tokens: Entries of the vocabulary [..., K].
        shares: Their probabilities, which sum to 1 [..., K].
    """

    tokens: Tensor
    shares: Tensor


def cross_entropy(
    x: Tensor,
    w: Tensor,
    b: Tensor,
    targets: Tensor,
    smoothing: float = 0.0,
    never: Sequence[int] = (),
    agreement: float = 0.0,
    taught: Taught | None = None,
    distillation: float = 0.0,
) -> Tensor:
    """Sum over positions of −Σ_v q(v) log softmax(W x + b)_v.

    q gives the target 1 − ε and every entry ε / V more (Szegedy 2016). The gradient of the logits
    is formed along with the loss, in the format of products; the logits are never kept.

    With agreement α, row n + N/2 is row n under another dropout, and each such pair adds
    α/2 Σ_v (p − p')(log p − log p')_v, the divergence between the two both ways (Liang 2021).

    With a teacher and distillation λ, q becomes (1 − λ) q + λ times what the teacher predicts
    (Hinton 2015; Kim & Rush 2016, word level).

    Args:
        x: [N, O].
        w: Output embeddings [V, O].
        b: [V].
        targets: [N].
        smoothing: ε.
        never: Entries that take no part (their probability is 0).
        agreement: α.
        taught: The teacher's predictions [N, K].
        distillation: λ.

    Returns:
        The smoothed loss and the plain one (ε = 0), each summed over positions [2]; only the
        first carries a gradient.
    """
    dtype = x.dtype
    if torch.is_autocast_enabled(x.device.type):
        dtype = torch.get_autocast_dtype(x.device.type)
    with torch.autocast(x.device.type, enabled=False):
        distillation = distillation if taught is not None else 0.0
        arguments = (wide(x), w, b, targets, smoothing, list(never), dtype, agreement)
        result: Tensor = _CrossEntropy.apply(*arguments, taught, distillation)
    return result


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx,
        x: Tensor,
        w: Tensor,
        b: Tensor,
        targets: Tensor,
        smoothing: float,
        never: list[int],
        dtype: torch.dtype,
        agreement: float,
        taught: Taught | None,
        distillation: float,
    ) -> Tensor:
        n, v = len(x), len(w)
        allowed = torch.ones_like(b)
        allowed[never] = 0
        given = 1 - distillation  # how much the target itself counts
        share = given * smoothing / (v - len(never))
        needs_grad = any(ctx.needs_input_grad)  # type: ignore[attr-defined]
        filled = -(-n // ROWS) * ROWS
        x_used, w_used = x.new_zeros(filled, x.shape[1], dtype=dtype), w.to(dtype)
        x_used[:n] = x
        b_used = b.masked_fill(allowed == 0, IMPOSSIBLE).to(dtype)
        # p is kept only for the gradient, where it is as good as the products that follow.
        p = x.new_empty(filled, v, dtype=dtype if needs_grad else b.dtype)
        rows = max(1, CHUNK // v // ROWS) * ROWS
        for start in range(0, filled, rows):
            part = slice(start, start + rows)
            logits = torch.addmm(b_used, x_used[part], w_used.t())
            torch.softmax(logits.to(p.dtype), -1, out=p[part])
        row = torch.arange(n, device=p.device).unsqueeze(1)
        at_target = row.squeeze(1), targets
        p_target = p[at_target].to(b.dtype)
        plain = -p_target.clamp_min(torch.finfo(b.dtype).tiny).log().sum()
        # Smoothing: −ε/V Σ_v log p_v = plain + ε (z_target − mean z), and a mean of logits is
        # a logit of mean weights.
        w_sum, x_sum = allowed @ w, x.sum(0)
        mean_logit = (x_sum @ w_sum + n * (b @ allowed)) / (v - len(never))
        target_logit = (x * w[targets]).sum() + b[targets].sum()
        total = given * (plain + smoothing * (target_logit - mean_logit))
        if taught is not None:
            p_taught = p[row, taught.tokens].to(b.dtype)
            surprise = p_taught.clamp_min(torch.finfo(b.dtype).tiny).log().neg()
            total = total + distillation * (taught.shares * surprise).sum()
        if agreement:
            total = total + _agree(p[: n // 2], p[n // 2 : n], agreement / 2, rows)
        loss = torch.stack([total, plain])
        if needs_grad:
            # ∂loss/∂logits = p − q. The constant part of q is a rank-one correction.
            # (scatter_add_ would copy all of p, twice.)
            p[at_target] += given * (smoothing - 1)
            if taught is not None:
                p[row, taught.tokens] -= (distillation * taught.shares).to(p.dtype)
            p[n:] = 0
            g_x = (p @ w_used)[:n].to(x.dtype).sub_(share * w_sum)
            g_w = (p.t() @ x_used).to(w.dtype).addr_(allowed, x_sum.to(w.dtype), alpha=-share)
            g_b = p.sum(0).to(b.dtype).sub_(allowed, alpha=share * n)
            ctx.save_for_backward(g_x, g_w, g_b)
        return loss

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> tuple[Tensor | None, ...]:
        g_x, g_w, g_b = ctx.saved_tensors  # type: ignore[attr-defined]
        scale = grads[0][0]  # in place: a graph is walked back once
        return g_x.mul_(scale), g_w.mul_(scale), g_b.mul_(scale), *[None] * 7


def _agree(p: Tensor, other: Tensor, weight: float, rows: int) -> Tensor:
    """Weighted Σ (p − p')(log p − log p'), whose gradient of the logits is added to p and p'.

    Args:
        p: Probabilities [N, V]; what is returned no longer holds probabilities.
        other: p', the same positions under another dropout [N, V].
        weight: α / 2.
        rows: Positions at a time.
    """
    total = torch.zeros((), dtype=torch.float64, device=p.device)
    for ours, theirs in zip(p.split(rows), other.split(rows), strict=True):
        a, b = wide(ours), wide(theirs)
        tiny = torch.finfo(a.dtype).tiny
        d = a.clamp_min(tiny).log_().sub_(b.clamp_min(tiny).log_())
        apart = a - b
        total += weight * (apart * d).sum()
        # ∂/∂z of KL(p‖p') is p (d − p·d), and of KL(p'‖p) it is p − p'.
        from_a, from_b = (a * d).sum(-1, keepdim=True), (b * d).sum(-1, keepdim=True)
        ours.add_((a * (d - from_a)).add_(apart).to(ours.dtype), alpha=weight)
        theirs.sub_((b * (d - from_b)).add_(apart).to(theirs.dtype), alpha=weight)
    return total.to(p.dtype if p.dtype == torch.float64 else torch.float32)
