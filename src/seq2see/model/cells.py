"""The recurrent cells: tanh RNN, GRU, LSTM.

A cell's input product W x + b does not depend on the state, so it is formed for all positions at
once (``project``); ``step`` adds the part that does. ``extra`` is input that is known only
inside the loop: the context of Bahdanau's wiring, or s̃ under input feeding.

    z = W x_t + b         [B, G·H]   G gates: 1 (RNN), 3 (GRU), 4 (LSTM)
    s = (h,) or (h, c)    [B, H] each
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from seq2see.model.lstm import lstm_gates, lstm_sequence
from seq2see.model.shared import Shared, product

CellState = tuple[Tensor, ...]


class CellWeights(NamedTuple):
    """The factors a loop multiplies by at every step."""

    state: Tensor | Shared
    extra: Tensor | Shared | None = None

    def shared(self) -> CellWeights:
        """The same factors with their gradients formed once for the whole loop."""

        def share(w: Tensor | Shared) -> Shared:
            return Shared(w) if isinstance(w, Tensor) else w

        return CellWeights(share(self.state), None if self.extra is None else share(self.extra))


class Cell(nn.Module, ABC):
    """One recurrent layer in one direction.

    Args:
        inputs: Units of x.
        hidden: Units H of the state.
        extra: Units of the input that is known only inside the loop.
    """

    gates: ClassVar[int]
    carries: ClassVar[int] = 1
    """Tensors in a state."""

    def __init__(self, inputs: int, hidden: int, extra: int = 0) -> None:
        super().__init__()
        self.hidden, self.extra = hidden, extra
        self.w_input = nn.Parameter(torch.empty(self.gates * hidden, inputs))
        self.w_state = nn.Parameter(torch.empty(hidden, self.gates * hidden))
        self.w_extra = nn.Parameter(torch.empty(extra, self.gates * hidden)) if extra else None
        self.bias = nn.Parameter(torch.zeros(self.gates * hidden))
        bound = hidden**-0.5
        for w in (self.w_input, self.w_state, self.w_extra):
            if w is not None:
                nn.init.uniform_(w, -bound, bound)

    def project(self, x: Tensor) -> Tensor:
        """W x + b for any number of positions [..., I] → [..., G·H]."""
        return nn.functional.linear(x, self.w_input, self.bias)

    def weights(self, inside: bool = False) -> CellWeights:
        """What ``step`` multiplies by.

        Args:
            inside: The cell's own input, too, is known only inside the loop (a layer above the
                first): it comes as ``extra``, and z is the bias alone.
        """
        return CellWeights(self.w_state, self.w_input.t() if inside else self.w_extra)

    def zero_state(self, batch: int, like: Tensor) -> CellState:
        """The state before anything was read."""
        return tuple(like.new_zeros(batch, self.hidden) for _ in range(self.carries))

    @abstractmethod
    def step(
        self, z: Tensor, state: CellState, extra: Tensor | None, weights: CellWeights
    ) -> CellState:
        """One step: z [B, G·H] is the projected input, extra [B, X] the rest of it."""


class RNN(Cell):
    """h_t = tanh(W x_t + U h_{t−1} + b)."""

    gates = 1

    def step(
        self, z: Tensor, state: CellState, extra: Tensor | None, weights: CellWeights
    ) -> CellState:
        """One step of the equation above."""
        z = z + product(weights.state, state[0])
        if extra is not None and weights.extra is not None:
            z = z + product(weights.extra, extra)
        return (torch.tanh(z),)


class GRU(Cell):
    """r, u = σ(W x + U h + b); n = tanh(W x + r ∘ (U h + b')); h_t = (1 − u) ∘ n + u ∘ h_{t−1}.

    As in torch and cuDNN, the reset gate acts after the product with U.
    """

    gates = 3

    def __init__(self, inputs: int, hidden: int, extra: int = 0) -> None:
        super().__init__(inputs, hidden, extra)
        self.bias_new = nn.Parameter(torch.zeros(hidden))

    def step(
        self, z: Tensor, state: CellState, extra: Tensor | None, weights: CellWeights
    ) -> CellState:
        """One step of the equations above."""
        (h,) = state
        if extra is not None and weights.extra is not None:
            z = z + product(weights.extra, extra)
        z_r, z_u, z_n = z.chunk(3, dim=-1)
        u_r, u_u, u_n = product(weights.state, h).to(h.dtype).chunk(3, dim=-1)
        r, u = torch.sigmoid(z_r + u_r), torch.sigmoid(z_u + u_u)
        n = torch.tanh(z_n + r * (u_n + self.bias_new))
        return (n + u * (h - n),)


class LSTM(Cell):
    """Gates i, f, o = σ(·) and g = tanh(·) of W x + U h + b.

    C_t = f ∘ C_{t−1} + i ∘ g; h_t = o ∘ tanh(C_t).
    """

    gates = 4
    carries = 2

    def __init__(self, inputs: int, hidden: int, extra: int = 0) -> None:
        super().__init__(inputs, hidden, extra)
        with torch.no_grad():
            self.bias[hidden : 2 * hidden] = 1.0  # remember at first (Jozefowicz 2015)

    def weights(self, inside: bool = False) -> CellWeights:
        """State and extra input meet the same gates: one product of [h; extra]."""
        extra = self.w_input.t() if inside else self.w_extra
        return CellWeights(self.w_state if extra is None else torch.cat([self.w_state, extra]))

    def step(
        self, z: Tensor, state: CellState, extra: Tensor | None, weights: CellWeights
    ) -> CellState:
        """One step of the equations above."""
        h, c = state
        parts = (h,) if extra is None else (h, extra)
        return lstm_gates(z, product(weights.state, *parts), c)


class Outputs(NamedTuple):
    """All states of a layer.

    Attributes:
        h: What the layer puts out [T, D, B, H].
        states: The tensors of a state at every step, each [T, D, B, H]; the first is ``h``.
    """

    h: Tensor
    states: tuple[Tensor, ...]


def run(cells: Sequence[Cell], z: Tensor, state: CellState) -> Outputs:
    """Runs D cells of one kind over whole sequences that they read independently.

    Args:
        cells: One cell a direction.
        z: Projected inputs [T, D, B, G·H].
        state: First states, each [D, B, H].
    """
    if isinstance(cells[0], LSTM):
        hs, cs = lstm_sequence(z, torch.stack([cell.w_state for cell in cells]), *state)
        return Outputs(hs, (hs, cs))
    columns = []
    for d, cell in enumerate(cells):
        weights = cell.weights().shared()
        s, rows = tuple(part[d] for part in state), []
        for z_t in z[:, d].unbind():
            s = cell.step(z_t, s, None, weights)
            rows.append(s[0])
        columns.append(torch.stack(rows))
    h = torch.stack(columns, dim=1)
    return Outputs(h, (h,))


CELLS: dict[str, type[Cell]] = {"rnn": RNN, "gru": GRU, "lstm": LSTM}
