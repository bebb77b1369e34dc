"""Which source positions a query may look at (Luong 2015, section 3.2).

p is the centre of each query's window, in source positions [B, T]; S the length of each
sentence, padding not counted [B]; D the width.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from seq2see.model.shared import Shared, product


class Window(NamedTuple):
    """A window around each query's centre.

    Attributes:
        inside: Whether a position may be looked at [B, T, S].
        gauss: Log of the Gaussian around the centre [B, T, S]; None for a flat window.
    """

    inside: Tensor
    gauss: Tensor | None = None


def monotonic_centre(position: Tensor, steps: int, length: Tensor) -> Tensor:
    """p_t = t (local-m); past the end of the source it stays on the last position."""
    t = position.unsqueeze(1) + torch.arange(steps, device=position.device)
    return torch.minimum(t, (length - 1).unsqueeze(1)).float()


def predicted_centre(s: Tensor, w: Tensor | Shared, v: Tensor, length: Tensor) -> Tensor:
    """p_t = S · sigmoid(vᵀ tanh(W s_t)) (local-p, eq. 9), for s [B, T, H]."""
    hidden = torch.tanh(product(w, s.flatten(0, 1)).to(v.dtype))
    return length.unsqueeze(1) * torch.sigmoid(hidden @ v).view(s.shape[:2])


def local_m(p: Tensor, positions: Tensor, width: int) -> Window:
    """The flat window [p_t − D, p_t + D]."""
    return Window((positions - p.unsqueeze(-1)).abs() <= width)


def local_p(p: Tensor, positions: Tensor, width: int) -> Window:
    """exp(−(i − p_t)² / 2σ²) with σ = D/2 (eq. 10), cut off at [p_t − D, p_t + D]."""
    distance = positions - p.unsqueeze(-1)
    sigma = width / 2
    return Window(distance.abs() <= width, -(distance**2) / (2 * sigma**2))
