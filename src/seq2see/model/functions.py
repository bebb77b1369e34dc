"""Small differentiable functions that torch has not, or has slower."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


def tanh(x: Tensor) -> Tensor:
    """Returns 2σ(2x) − 1 = tanh x, several times faster on CPUs (docs/performance.md)."""
    if x.is_cuda:
        return torch.tanh(x)
    result: Tensor = _Tanh.apply(x)
    return result


def wide(x: Tensor) -> Tensor:
    """Puts x in a format that sums and softmax may use: bfloat16 becomes float32."""
    return x.float() if x.dtype == torch.bfloat16 else x


class _Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor) -> Tensor:
        y = (wide(x) * 2).sigmoid_().mul_(2).sub_(1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors  # type: ignore[attr-defined]
        return torch.addcmul(grads[0], grads[0] * y, y, value=-1)


class Dropout:
    """Inverted dropout masks for sequences, time first.

    Args:
        rate: Chance that a unit is dropped; 0 does nothing.
        variational: One mask for all positions of a sequence (Gal & Ghahramani 2016).
    """

    def __init__(self, rate: float, variational: bool) -> None:
        self.rate, self.variational = rate, variational

    def mask(self, like: Tensor) -> Tensor | None:
        """A mask for ``like`` [T, B, N], [T or 1, B, N]; None when nothing is dropped."""
        if self.rate == 0:
            return None
        shape = (1, *like.shape[1:]) if self.variational else like.shape
        return keep_mask(shape, self.rate, like)

    def __call__(self, x: Tensor) -> Tensor:
        """Drops units of x [T, B, N]."""
        mask = self.mask(x)
        return x if mask is None else x * mask


def keep_mask(shape: torch.Size | tuple[int, ...], rate: float, like: Tensor) -> Tensor:
    """0 with chance ``rate``, else 1 / (1 − rate).

    Four chances of 16 bits are cut from one random number: torch draws each by itself, and on one
    thread, which takes ten times as long (docs/performance.md).
    """
    count = math.prod(shape)
    numbers = like.new_empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
    chance = numbers.view(torch.int16)[:count].view(shape)
    dropped = round(rate * 2**16) - 2**15  # chances below this
    mask = like.new_empty(shape, dtype=torch.float32)
    return torch.ge(chance, dropped, out=mask).mul_(1 / (1 - rate))


def reverse(x: Tensor, order: Tensor) -> Tensor:
    """Reverses each sequence within its own length; padding stays where it is.

    Args:
        x: [S, B, N], time first.
        order: From ``reversal`` [S·B].
    """
    result: Tensor = _Permute.apply(x, order)
    return result


def reversal(lengths: Tensor, positions: int) -> Tensor:
    """Row numbers of ``x.flatten(0, 1)`` that reverse every sequence [S·B]."""
    t = torch.arange(positions, device=lengths.device).unsqueeze(1)
    row = torch.where(t < lengths, lengths - 1 - t, t)
    column = torch.arange(len(lengths), device=lengths.device)
    return (row * len(lengths) + column).flatten()


class _Permute(torch.autograd.Function):
    """A reversal is its own inverse, so its gradient is the same selection."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, order: Tensor) -> Tensor:
        ctx.save_for_backward(order)
        return x.flatten(0, 1).index_select(0, order).view_as(x)

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> tuple[Tensor, None]:
        (order,) = ctx.saved_tensors  # type: ignore[attr-defined]
        return grads[0].flatten(0, 1).index_select(0, order).view_as(grads[0]), None
