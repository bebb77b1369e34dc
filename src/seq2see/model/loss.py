"""Softmax and cross-entropy over a large vocabulary without keeping the logits."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

CHUNK = 1 << 20
"""Logits formed at a time: small enough to stay in a core's cache (docs/performance.md)."""


def cross_entropy(
    x: Tensor,
    w: Tensor,
    b: Tensor,
    targets: Tensor,
    smoothing: float = 0.0,
    never: Sequence[int] = (),
) -> Tensor:
    """Sum over positions of −Σ_v q(v) log softmax(W x + b)_v.

    q gives the target 1 − ε and every entry ε / V more (Szegedy 2016). The gradient is formed
    along with the loss, chunk by chunk, so neither logits nor probabilities are kept.

    Args:
        x: [N, O].
        w: Output embeddings [V, O].
        b: [V].
        targets: [N].
        smoothing: ε.
        never: Entries that take no part (their probability is 0).

    Returns:
        The smoothed loss and the plain one (ε = 0), each summed over positions [2]; only the
        first carries a gradient.
    """
    result: Tensor = _CrossEntropy.apply(x, w, b, targets, smoothing, list(never))
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
    ) -> Tensor:
        dtype = x.dtype
        if torch.is_autocast_enabled(x.device.type):
            dtype = torch.get_autocast_dtype(x.device.type)
        x_used, w_used = x.to(dtype), w.to(dtype)
        n, v = len(x), len(w)
        share = smoothing / (v - len(never))
        needs_grad = any(ctx.needs_input_grad)  # type: ignore[attr-defined]
        g_all = x.new_empty(n, v, dtype=dtype) if needs_grad else None
        loss = b.new_zeros(2)
        g_b = torch.zeros_like(b)
        rows = max(16, CHUNK // v)
        for start in range(0, n, rows):
            part = slice(start, min(start + rows, n))
            target = targets[part].unsqueeze(1)
            logits = torch.add(x_used[part] @ w_used.t(), b)  # promoted to the bias's float32
            mean = logits.sum(-1)
            if never:
                mean -= logits[:, never].sum(-1)
                logits[:, never] = -torch.inf
            mean /= v - len(never)
            top = logits.max(-1, keepdim=True)
            at_target = logits.gather(1, target)
            p = logits.softmax(-1)
            # log Σ exp(z) = z_max − log p_max, without a second pass of exp
            log_sum = (top.values - p.gather(1, top.indices).log()).squeeze(1)
            plain = (log_sum - at_target.squeeze(1)).sum()
            loss[0] += plain + smoothing * (at_target.squeeze(1) - mean).sum()
            loss[1] += plain
            if g_all is not None:
                p.sub_(share)
                if never:
                    p[:, never] = 0
                p.scatter_add_(1, target, p.new_full(target.shape, smoothing - 1))
                g_b += p.sum(0)
                g_all[part] = p
        if g_all is not None:
            # ∂loss/∂x and ∂loss/∂W, each one product over all positions.
            g_x, g_w = g_all @ w_used, g_all.t() @ x_used
            ctx.save_for_backward(g_x.to(x.dtype), g_w.to(w.dtype), g_b)
        return loss

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> tuple[Tensor | None, ...]:
        g_x, g_w, g_b = ctx.saved_tensors  # type: ignore[attr-defined]
        scale = grads[0][0]
        return g_x * scale, g_w * scale, g_b * scale, None, None, None
