"""A matrix that every step of a loop multiplies by.

Left to itself, automatic differentiation forms a whole weight gradient at each step and adds
them up. ``Shared`` keeps the factors instead and forms the gradient once, as one large product
over all steps (docs/performance.md says what that is worth).
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


class Shared:
    """The right-hand factor W of many products x W, with W [K, N] or [B, K, N].

    Under autocast the factor is converted once instead of at every step.
    """

    def __init__(self, w: Tensor) -> None:
        self._factors: list[tuple[Tensor, Tensor]] = []
        if w.ndim == 2 and torch.is_autocast_enabled(w.device.type):
            w_used = w.to(torch.get_autocast_dtype(w.device.type))
        else:
            w_used = w
        self._w: Tensor = _Open.apply(w_used, self._factors)

    def product(self, x: Tensor) -> Tensor:
        """Multiplies x W for x [..., K] (two dimensions, or three with a matrix a sentence)."""
        result: Tensor = _Product.apply(x, self._w, self._factors)
        return result


def product(x: Tensor, w: Tensor | Shared) -> Tensor:
    """Multiplies x W, whether W is used once or shared by the steps of a loop."""
    return w.product(x) if isinstance(w, Shared) else x @ w


class _Open(torch.autograd.Function):
    """Hands W to the loop; its backward runs after every step's and sums what they kept."""

    @staticmethod
    def forward(ctx: FunctionCtx, w: Tensor, factors: list[tuple[Tensor, Tensor]]) -> Tensor:
        ctx.factors = factors  # type: ignore[attr-defined]
        ctx.set_materialize_grads(False)
        return w.view_as(w)

    @staticmethod
    def backward(ctx: FunctionCtx, *_: Tensor | None) -> tuple[Tensor | None, None]:
        factors: list[tuple[Tensor, Tensor]] = ctx.factors  # type: ignore[attr-defined]
        if not factors:
            return None, None
        x = torch.cat([x for x, _ in factors], dim=-2)
        g = torch.cat([g for _, g in factors], dim=-2)
        factors.clear()
        return x.transpose(-1, -2) @ g, None


class _Product(torch.autograd.Function):
    """Multiplies x W; the backward pass returns the gradient of x and puts W's factors aside."""

    @staticmethod
    def forward(
        ctx: FunctionCtx, x: Tensor, w: Tensor, factors: list[tuple[Tensor, Tensor]]
    ) -> Tensor:
        x_used = x.to(w.dtype)
        ctx.factors, ctx.x_dtype = factors, x.dtype  # type: ignore[attr-defined]
        ctx.save_for_backward(x_used, w)
        return x_used @ w

    @staticmethod
    def backward(ctx: FunctionCtx, *grad_outputs: Tensor) -> tuple[Tensor, None, None]:
        x, w = ctx.saved_tensors  # type: ignore[attr-defined]
        g = grad_outputs[0].to(w.dtype)
        ctx.factors.append((x, g))  # type: ignore[attr-defined]
        return (g @ w.transpose(-1, -2)).to(ctx.x_dtype), None, None  # type: ignore[attr-defined]
