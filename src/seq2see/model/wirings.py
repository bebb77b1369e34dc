"""The wirings: which state asks, and where the answer goes; one decoder class each."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seq2see.attention.attention import Memory
from seq2see.config import ModelConfig
from seq2see.model.decoder import Decoder, DecoderState, LoopWeights, Moment
from seq2see.model.embedding import Embedding
from seq2see.model.encoder import Encoded
from seq2see.model.functions import tanh
from seq2see.model.shared import product


class Vanilla(Decoder):
    """No attention: the encoder's last state is all the decoder gets.

    s_t = f(s_{t−1}, y_{t−1}); ŷ_t = softmax(W_y s_t), with s_0 the encoder's last state
    (Sutskever 2014). With ``input_feeding``, c = the encoder's last state at every step
    (Cho 2014): s_t = f(s_{t−1}, [y_{t−1}; c]); s̃_t = tanh(W [s_t; y_{t−1}; c] + b).
    """

    attends = False

    def __init__(self, config: ModelConfig, embedding: Embedding, memory: int, output: int) -> None:
        super().__init__(config, embedding, memory, output)
        gates = len(self.cells[0].bias)  # type: ignore[arg-type]
        self.w_context = nn.Linear(memory, gates, bias=False) if self.feeding else None

    def extra(self, memory: int) -> int:
        """None: the context never changes, so it joins the projected input."""
        return 0

    def read_units(self, memory: int, embedding: int) -> int:
        """[s_t; y_{t−1}; c] if the context is fed; else s_t, combined only to change its width."""
        if self.feeding:
            return self.hidden + embedding + memory
        return 0 if self.outputs == self.hidden else self.hidden

    def loops(self) -> bool:
        """Nothing but the cell's state is handed on."""
        return False

    def prepare(self, encoded: Encoded) -> Memory:
        """The encoder's last state as the one thing there is to look up [B, 1, M]."""
        positions = torch.arange(encoded.h.shape[1], device=encoded.h.device)
        mask = positions < encoded.lengths.unsqueeze(1)
        c = encoded.last[-1][0].unsqueeze(1)
        return Memory(c, None, mask, encoded.lengths, None, None)

    def project(self, y: Tensor, memory: Memory) -> Tensor:
        """W y_{t−1} + W_c c + b."""
        z = super().project(y, memory)
        if self.w_context is not None:
            assert isinstance(memory.h, Tensor)
            z = z + self.w_context(memory.h.squeeze(1))
        return z

    def look_up(
        self, s: Tensor, state: DecoderState, memory: Memory
    ) -> tuple[Tensor | None, Tensor | None]:
        """The same c at every step, and no weights."""
        assert isinstance(memory.h, Tensor)
        return memory.h.squeeze(1).expand(len(s), -1, -1), None

    def advance(
        self,
        z: Tensor,
        state: DecoderState,
        memory: Memory,
        weights: LoopWeights,
        masks: list[Tensor | None],
        forced: Tensor | None = None,
    ) -> Moment:
        """s_t = f(s_{t−1}, y_{t−1}) or f(s_{t−1}, [y_{t−1}; c])."""
        assert isinstance(memory.h, Tensor)
        s, layers = self._run_cells(z, None, state, weights, masks)
        state = state._replace(layers=layers, position=state.position + 1)
        return Moment(state, s, memory.h.squeeze(1), None)

    def read(self, s: Tensor, y: Tensor, context: Tensor | None) -> Tensor:
        """s_t itself, or the deep output of Cho 2014."""
        if not self.feeding:
            return s if self.readout is None else self.combine(s)
        assert context is not None
        return self.combine(s, y, context)


class Bahdanau(Decoder):
    """Attend with s_{t−1}, then step (Bahdanau 2014).

    c_t = attention(s_{t−1}, h); s_t = f(s_{t−1}, [y_{t−1}; c_t]);
    s̃_t = tanh(W [s_t; y_{t−1}; c_t] + b); ŷ_t = softmax(W_y s̃_t + b_y).
    """

    def extra(self, memory: int) -> int:
        """c_t."""
        return memory

    def read_units(self, memory: int, embedding: int) -> int:
        """[s_t; y_{t−1}; c_t]."""
        return self.hidden + embedding + memory

    def loops(self) -> bool:
        """c_t depends on s_{t−1}."""
        return True

    def advance(
        self,
        z: Tensor,
        state: DecoderState,
        memory: Memory,
        weights: LoopWeights,
        masks: list[Tensor | None],
        forced: Tensor | None = None,
    ) -> Moment:
        """Attend with the top layer's s_{t−1}; the context enters the first layer."""
        before = self.norms[-1](state.layers[-1][0])
        context, alpha, coverage = self._attend(before, state, memory, forced)
        s, layers = self._run_cells(z, context, state, weights, masks)
        state = DecoderState(layers, state.position + 1, None, coverage)
        return Moment(state, s, context, alpha)

    def read(self, s: Tensor, y: Tensor, context: Tensor | None) -> Tensor:
        """The deep output from s_t, y_{t−1} and c_t."""
        assert context is not None
        return self.combine(s, y, context)


class Luong(Decoder):
    """Step, then attend with s_t (Luong 2015).

    s_t = f(s_{t−1}, y_{t−1}); c_t = attention(s_t, h); s̃_t = tanh(W_c [c_t; s_t] + b_c);
    ŷ_t = softmax(W_y s̃_t + b_y). With input feeding s_t = f(s_{t−1}, [y_{t−1}; s̃_{t−1}]).
    """

    def extra(self, memory: int) -> int:
        """s̃_{t−1} under input feeding."""
        return self.outputs if self.feeding else 0

    def read_units(self, memory: int, embedding: int) -> int:
        """[c_t; s_t]."""
        return memory + self.hidden

    def loops(self) -> bool:
        """Input feeding and coverage hand on more than the cell's state."""
        return self.feeding or self.config.attention.coverage

    def loop_weights(self) -> LoopWeights:
        """Under input feeding the readout stands inside the loop."""
        layers, _ = super().loop_weights()
        assert self.readout is not None
        return LoopWeights(layers, self.readout.weight.t() if self.feeding else None)

    def advance(
        self,
        z: Tensor,
        state: DecoderState,
        memory: Memory,
        weights: LoopWeights,
        masks: list[Tensor | None],
        forced: Tensor | None = None,
    ) -> Moment:
        """Step, then attend with the top layer's s_t."""
        s, layers = self._run_cells(z, state.feed, state, weights, masks)
        context, alpha, coverage = self._attend(s, state, memory, forced)
        feed = None
        if weights.readout is not None:
            assert self.readout is not None
            feed = tanh(product(weights.readout, context, s) + self.readout.bias)
        state = DecoderState(layers, state.position + 1, feed, coverage)
        return Moment(state, s, context, alpha, feed)

    def read(self, s: Tensor, y: Tensor, context: Tensor | None) -> Tensor:
        """s̃_t."""
        assert context is not None
        return self.combine(context, s)


WIRINGS: dict[str, type[Decoder]] = {"none": Vanilla, "bahdanau": Bahdanau, "luong": Luong}
