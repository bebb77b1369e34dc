"""The LSTM's element-wise part, and a whole sequence of steps at once, with their gradients.

    i, f, o = σ(z_i), σ(z_f), σ(z_o)    g = tanh(z_g)
    C_t = f ∘ C_{t−1} + i ∘ g           h_t = o ∘ tanh(C_t)

Gates stand in the order i, f, g, o. Written as autograd functions because a loop over torch's
own operators spends most of its time outside the products: here a step is a handful of
operators, everything that can be formed for all steps at once is, and the weight gradient is
one product (docs/performance.md). tanh(x) is computed as 2σ(2x) − 1, which costs a tenth.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


def lstm_gates(z: Tensor, u: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """One step from the gates' inputs z + u [B, 4H] and C_{t−1} [B, H] to (h_t, C_t)."""
    result: tuple[Tensor, Tensor] = _Gates.apply(z, u, c)
    return result


def lstm_sequence(z: Tensor, w: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """All steps of D independent LSTMs.

    Args:
        z: Projected inputs W x + b [T, D, B, 4H].
        w: State weights U [D, H, 4H].
        h: First states [D, B, H].
        c: First cell states [D, B, H].

    Returns:
        h_t and C_t of every step [T, D, B, H].
    """
    if torch.is_autocast_enabled(z.device.type):
        w = w.to(torch.get_autocast_dtype(z.device.type))
    result: tuple[Tensor, Tensor] = _Sequence.apply(z, w, h, c)
    return result


def _advance(z: Tensor, c_before: Tensor, h: Tensor, c: Tensor, half_c: Tensor) -> None:
    """Turns z with its g part doubled into σ(z); writes h_t, C_t and σ(2 C_t)."""
    i, f, half_g, o = z.sigmoid_().chunk(4, dim=-1)
    torch.mul(f, c_before, out=c).addcmul_(i, half_g, value=2).sub_(i)
    torch.mul(c, 2, out=half_c).sigmoid_()
    torch.neg(o, out=h).addcmul_(o, half_c, value=2)


class _Slopes:
    """Factors of the backward pass that do not depend on the gradient: [..., H] each.

    Args:
        gates: σ of the gates' inputs, g as σ(2 z_g) [..., 4H].
        c_before: C_{t−1}.
        half_c: σ(2 C_t).
    """

    def __init__(self, gates: Tensor, c_before: Tensor, half_c: Tensor) -> None:
        i, f, half_g, o = gates.chunk(4, dim=-1)
        slope = torch.addcmul(gates, gates, gates, value=-1)  # σ(1 − σ)
        s_i, s_f, s_g, s_o = slope.chunk(4, dim=-1)
        tanh_c = half_c * 2 - 1
        s_i.mul_(half_g * 2 - 1)  # ∂C/∂z_i = g · i(1 − i)
        s_f.mul_(c_before)
        s_g.mul_(i).mul_(4)  # 1 − g² = 4σ(1 − σ)
        s_o.mul_(tanh_c)  # ∂h/∂z_o
        # ∂C/∂z of i, f and g, and ∂h/∂z_o: [..., 3, H] and [..., H].
        self.to_c, self.to_h = slope.unflatten(-1, (4, -1)).split_with_sizes((3, 1), dim=-2)
        self.c_from_h = (1 - tanh_c * tanh_c).mul_(o)
        self.forget = f


class _Gates(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, z: Tensor, u: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        hidden = c.shape[-1]
        gates = (z + u).to(c.dtype)
        gates[:, 2 * hidden : 3 * hidden].mul_(2)
        h, c_next, half_c = (torch.empty_like(c) for _ in range(3))
        _advance(gates, c, h, c_next, half_c)
        ctx.save_for_backward(gates, c, half_c)
        ctx.dtypes = z.dtype, u.dtype  # type: ignore[attr-defined]
        return h, c_next

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        dh, dc = grads
        slopes = _Slopes(*ctx.saved_tensors)  # type: ignore[attr-defined]
        dz = torch.empty_like(ctx.saved_tensors[0])  # type: ignore[attr-defined]
        dc = torch.addcmul(dc, dh, slopes.c_from_h)
        _into_gates(dz, dc, dh, slopes.to_c, slopes.to_h)
        z_dtype, u_dtype = ctx.dtypes  # type: ignore[attr-defined]
        return dz.to(z_dtype), dz.to(u_dtype), dc * slopes.forget


def _into_gates(dz: Tensor, dc: Tensor, dh: Tensor, to_c: Tensor, to_h: Tensor) -> None:
    """Writes the gradient of the gates' inputs into dz [..., 4H]."""
    through_c, through_h = dz.unflatten(-1, (4, -1)).split_with_sizes((3, 1), dim=-2)
    torch.mul(dc.unsqueeze(-2), to_c, out=through_c)
    torch.mul(dh.unsqueeze(-2), to_h, out=through_h)


class _Sequence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx, z: Tensor, w: Tensor, h: Tensor, c: Tensor
    ) -> tuple[Tensor, Tensor]:
        steps, hidden = z.shape[0], h.shape[-1]
        gates = z.to(c.dtype, copy=True)
        gates[..., 2 * hidden : 3 * hidden].mul_(2)
        doubled = w.clone()
        doubled[..., 2 * hidden : 3 * hidden].mul_(2)
        hs = c.new_empty(steps, *h.shape)
        cs = c.new_empty(steps + 1, *c.shape)
        half_cs = torch.empty_like(hs)
        cs[0] = c
        inputs = h.new_empty(steps, *h.shape, dtype=w.dtype)  # h_{t−1} as the product reads it
        # unbind: all views at once; making them one by one costs as much as the gates.
        all_cs = cs.unbind()
        each = zip(gates.unbind(), inputs.unbind(), hs.unbind(), half_cs.unbind(), strict=True)
        for t, (z_t, x, h_t, half_c) in enumerate(each):
            x.copy_(h)
            z_t.add_(torch.bmm(x, doubled))
            _advance(z_t, all_cs[t], h_t, all_cs[t + 1], half_c)
            h = h_t
        ctx.save_for_backward(gates, w, inputs, cs, half_cs)
        ctx.z_dtype = z.dtype  # type: ignore[attr-defined]
        ctx.set_materialize_grads(False)
        return hs, cs[1:]

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        gates, w, inputs, cs, half_cs = ctx.saved_tensors  # type: ignore[attr-defined]
        dhs, dcs = grads
        slopes = _Slopes(gates, cs[:-1], half_cs)
        dz = torch.empty_like(gates[0])
        dzs = torch.empty_like(gates, dtype=w.dtype)  # as the products read them
        w_back = w.transpose(1, 2)
        dh = torch.zeros_like(half_cs[0])
        dc = torch.zeros_like(half_cs[0])
        parts = (slopes.to_c, slopes.to_h, slopes.c_from_h, slopes.forget, dzs)
        each = list(zip(*(part.unbind() for part in parts), strict=True))
        for t in range(len(each) - 1, -1, -1):
            to_c, to_h, c_from_h, forget, dz_t = each[t]
            if dhs is not None:
                dh = dh + dhs[t]
            if dcs is not None:
                dc = dc + dcs[t]
            dc = torch.addcmul(dc, dh, c_from_h)
            _into_gates(dz, dc, dh, to_c, to_h)
            dc.mul_(forget)
            dz_t.copy_(dz)
            dh = torch.bmm(dz_t, w_back).to(dh.dtype)
        # One product over all steps: [D, H, T·B] × [D, T·B, 4H].
        x = inputs.transpose(0, 1).flatten(1, 2)
        g = dzs.transpose(0, 1).flatten(1, 2)
        return dzs.to(ctx.z_dtype), x.transpose(1, 2) @ g, dh, dc  # type: ignore[attr-defined]
