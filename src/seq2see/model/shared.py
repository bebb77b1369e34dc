"""A matrix that every step of a loop multiplies by.

Left to itself, automatic differentiation forms a whole weight gradient at each step and adds
them up. ``Shared`` keeps the factors instead and forms the gradient once, as one large product
over all steps (docs/performance.md says what that is worth).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

Gradients = tuple[Tensor | None, ...]


def deferred(finish: Callable[[], Gradients], *tensors: Tensor) -> tuple[Tensor, ...]:
    """Hands tensors to a loop whose steps put their gradients aside.

    Args:
        finish: Called in the backward pass after every step's; returns the tensors' gradients.
            It must not hold what is returned here: they would keep each other, and their graph,
            in memory for good.
        tensors: What the loop uses.
    """
    result: tuple[Tensor, ...] = _Deferred.apply(finish, *tensors)
    return result


class _Deferred(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx, finish: Callable[[], Gradients], *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.finish = finish  # type: ignore[attr-defined]
        ctx.set_materialize_grads(False)
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx: FunctionCtx, *_: Tensor | None) -> Gradients:
        return None, *ctx.finish()  # type: ignore[attr-defined]


class Shared:
    """The right-hand factor W of many products x W, with W [K, N] or [B, K, N].

    Under autocast the factor is converted once instead of at every step.
    """

    def __init__(self, w: Tensor) -> None:
        self._factors: list[tuple[Tensor, Tensor]] = []
        if w.ndim == 2 and torch.is_autocast_enabled(w.device.type):
            w = w.to(torch.get_autocast_dtype(w.device.type))
        (self._w,) = deferred(partial(_gradient, self._factors), w)

    def product(self, *parts: Tensor) -> Tensor:
        """Multiplies x W for x = [parts] [..., K], or [B, T, K] with a matrix a sentence."""
        result: Tensor = _Product.apply(self._factors, self._w, *parts)
        return result


def _gradient(factors: list[tuple[Tensor, Tensor]]) -> Gradients:
    """Σ xᵀ g over the steps' factors, as one product."""
    if not factors:
        return (None,)
    x = torch.cat([x for x, _ in factors], dim=-2)
    g = torch.cat([g for _, g in factors], dim=-2)
    factors.clear()
    return (x.transpose(-1, -2) @ g,)


def product(w: Tensor | Shared, *parts: Tensor) -> Tensor:
    """Multiplies x W for x = [parts], whether W is used once or shared by the steps of a loop."""
    if isinstance(w, Shared):
        return w.product(*parts)
    return (parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1)) @ w


class _Product(torch.autograd.Function):
    """[parts] W; the backward pass returns the parts' gradients and puts W's factors aside."""

    @staticmethod
    def forward(
        ctx: FunctionCtx, factors: list[tuple[Tensor, Tensor]], w: Tensor, *parts: Tensor
    ) -> Tensor:
        ctx.factors = factors  # type: ignore[attr-defined]
        ctx.widths = [part.shape[-1] for part in parts]  # type: ignore[attr-defined]
        ctx.dtypes = [part.dtype for part in parts]  # type: ignore[attr-defined]
        if len(parts) == 1:
            x = parts[0].to(w.dtype)
        else:
            # Side by side and converted in one go.
            x = w.new_empty(*parts[0].shape[:-1], sum(part.shape[-1] for part in parts))
            for piece, part in zip(x.split(ctx.widths, -1), parts, strict=True):  # type: ignore[attr-defined]
                piece.copy_(part)
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> Gradients:
        x, w = ctx.saved_tensors  # type: ignore[attr-defined]
        g = grads[0].to(w.dtype)
        ctx.factors.append((x, g))  # type: ignore[attr-defined]
        pieces = (g @ w.transpose(-1, -2)).split(ctx.widths, -1)  # type: ignore[attr-defined]
        return None, None, *(p.to(d) for p, d in zip(pieces, ctx.dtypes, strict=True))  # type: ignore[attr-defined]
