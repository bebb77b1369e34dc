"""The decoder without its wiring: what a step is, and a whole target sequence at once.

``step`` defines the model. ``unroll`` is the same function for known target sequences, with all
that does not depend on the previous step taken out of the loop; tests hold the two equal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from seq2see.attention.attention import Attention, Memory
from seq2see.config import ModelConfig
from seq2see.errors import ConfigError
from seq2see.model.cells import CELLS, Cell, CellState, CellWeights, run
from seq2see.model.embedding import Embedding
from seq2see.model.encoder import Encoded
from seq2see.model.functions import Dropout, tanh, wide
from seq2see.model.shared import Shared


class DecoderState(NamedTuple):
    """What one step hands to the next.

    Attributes:
        layers: The state of each recurrent layer.
        position: t, the number of tokens read so far [B].
        feed: s̃_{t−1} under input feeding [B, O].
        coverage: Σ of the attention so far [B, S], if it enters the score.
    """

    layers: tuple[CellState, ...]
    position: Tensor
    feed: Tensor | None = None
    coverage: Tensor | None = None

    def select(self, rows: Tensor) -> DecoderState:
        """The states of ``rows`` [R]."""
        return DecoderState(
            tuple(tuple(part[rows] for part in layer) for layer in self.layers),
            self.position[rows],
            None if self.feed is None else self.feed[rows],
            None if self.coverage is None else self.coverage[rows],
        )


class Step(NamedTuple):
    """One token further.

    Attributes:
        output: What the output layer reads [B, O].
        state: For the next step.
        weights: Attention α_t [B, S]; None without attention.
    """

    output: Tensor
    state: DecoderState
    weights: Tensor | None


class Unrolled(NamedTuple):
    """All steps of known target sequences.

    Attributes:
        output: What the output layer reads [B, T, O].
        weights: Attention α [B, T, S]; None without attention.
    """

    output: Tensor
    weights: Tensor | None


class Moment(NamedTuple):
    """The inside of one step.

    Attributes:
        state: After the step.
        s: The top layer's s_t [B, H].
        context: c_t [B, M]; None without attention.
        weights: α_t [B, S]; None without attention.
        output: s̃_t if the loop already needed it.
    """

    state: DecoderState
    s: Tensor
    context: Tensor | None
    weights: Tensor | None
    output: Tensor | None = None


class LoopWeights(NamedTuple):
    """Factors of the products inside a step: each layer's, and the readout's if it is fed back."""

    layers: tuple[CellWeights, ...]
    readout: Tensor | Shared | None = None


class Decoder(nn.Module, ABC):
    """What the wirings have in common.

    Args:
        config: The model's settings, every choice made.
        embedding: Target token vectors.
        memory: Units M of an encoder state.
        output: Units O that the output layer reads.
    """

    attends: ClassVar[bool] = True

    def __init__(self, config: ModelConfig, embedding: Embedding, memory: int, output: int) -> None:
        super().__init__()
        assert config.hidden is not None
        self.config, self.embedding, self.hidden = config, embedding, config.hidden
        self.feeding = bool(config.input_feeding)
        self.outputs = output
        cell = CELLS[config.decoder_cell]
        units = embedding.weight.shape[1]
        layers = [cell(units, config.hidden, extra=self.extra(memory))]
        layers += [cell(config.hidden, config.hidden) for _ in range(config.decoder_layers - 1)]
        self.cells = nn.ModuleList(layers)
        self.norms = nn.ModuleList(
            nn.LayerNorm(config.hidden) if config.layer_norm else nn.Identity() for _ in layers
        )
        self.attention = (
            Attention(config.attention, config.hidden, memory, config.max_source)
            if self.attends
            else None
        )
        read = self.read_units(memory, units)
        self.readout = nn.Linear(read, output) if read else None
        self.dropout = Dropout(config.dropout or 0.0, config.variational)
        self.bridge = config.bridge or "last"
        self.bridges = nn.ModuleList()
        if self.bridge in ("mean", "learned"):
            self.bridges = nn.ModuleList(
                nn.Linear(memory, cell.carries * config.hidden) for _ in layers
            )
        elif self.bridge == "last" and memory != config.hidden:
            raise ConfigError(
                f"model.bridge = 'last' hands the encoder's last state on as it is, but it has "
                f"{memory} units and the decoder {config.hidden}. Take 'learned', or make "
                "model.memory and model.hidden equal."
            )

    @abstractmethod
    def extra(self, memory: int) -> int:
        """Units of the first layer's input that are known only inside the loop."""

    @abstractmethod
    def read_units(self, memory: int, embedding: int) -> int:
        """Units that ``read`` combines; 0 when the state itself is the output."""

    @abstractmethod
    def loops(self) -> bool:
        """Whether a step needs more of the previous step than the cell's state."""

    @abstractmethod
    def advance(
        self,
        z: Tensor,
        state: DecoderState,
        memory: Memory,
        weights: LoopWeights,
        masks: list[Tensor | None],
        forced: Tensor | None = None,
    ) -> Moment:
        """One step of the wiring's equations.

        Args:
            z: The first layer's projected input, W y_{t−1} + b [B, G·H].
            state: Before the step.
            memory: The source.
            weights: Factors of the products.
            masks: Dropout of what each layer reads of the one below [B, H] (training only).
            forced: Attention to use instead of the model's own [B, S].
        """

    @abstractmethod
    def read(self, s: Tensor, y: Tensor, context: Tensor | None) -> Tensor:
        """What the output layer reads, for any number of positions [..., O]."""

    def prepare(self, encoded: Encoded) -> Memory:
        """What every step of a sentence looks things up in."""
        assert self.attention is not None
        return self.attention.prepare(encoded.h, encoded.lengths)

    def start(self, encoded: Encoded) -> DecoderState:
        """The state before the first token (``model.bridge``)."""
        batch = len(encoded.lengths)
        layers: list[CellState] = []
        for number, module in enumerate(self.cells):
            assert isinstance(module, Cell)
            below = encoded.last[min(number, len(encoded.last) - 1)]
            if self.bridge == "zero":
                layers.append(module.zero_state(batch, encoded.h))
            elif self.bridge == "last":
                # A GRU hands no cell state on; an LSTM decoder then starts with the state itself.
                layers.append(tuple(below[min(i, len(below) - 1)] for i in range(module.carries)))
            else:
                summary = below[0]
                if self.bridge == "mean":
                    summary = encoded.h.sum(1) / encoded.lengths.unsqueeze(1)
                layers.append(tanh(self.bridges[number](summary)).chunk(module.carries, dim=-1))
        coverage = None
        if self.config.attention.coverage and self.attends:
            coverage = encoded.h.new_zeros(encoded.h.shape[:2])
        feed = encoded.h.new_zeros(batch, self.outputs) if self.attends and self.feeding else None
        return DecoderState(tuple(layers), torch.zeros_like(encoded.lengths), feed, coverage)

    def step(
        self, tokens: Tensor, state: DecoderState, memory: Memory, forced: Tensor | None = None
    ) -> Step:
        """Reads y_{t−1} and computes what y_t is predicted from.

        Args:
            tokens: Previous token of each sentence [B].
            state: Before the step.
            memory: From ``prepare``.
            forced: Attention to use instead of the model's own [B, S].
        """
        y = self.embedding(tokens.unsqueeze(0)).squeeze(0)
        z = self.project(y.unsqueeze(0), memory).squeeze(0)
        masks: list[Tensor | None] = [None] * len(self.cells)
        moment = self.advance(z, state, memory, self.loop_weights(), masks, forced)
        output = moment.output
        if output is None:
            output = self.read(moment.s, y, moment.context)
        return Step(output, moment.state, moment.weights)

    def unroll(self, tokens: Tensor, state: DecoderState, memory: Memory) -> Unrolled:
        """All steps under teacher forcing.

        Args:
            tokens: y_0 … y_{T−1}, beginning with the start mark [B, T].
            state: Before the first step.
            memory: From ``prepare``.
        """
        y = self.embedding(tokens.t())  # [T, B, E]
        z = self.project(y, memory)
        if self.loops():
            output, weights = self._loop(y, z, state, memory)
        else:
            output, weights = self._whole(y, z, state, memory)
        if self.training:
            output = self.dropout(output)
        return Unrolled(output.transpose(0, 1), weights)

    def _whole(
        self, y: Tensor, z: Tensor, state: DecoderState, memory: Memory
    ) -> tuple[Tensor, Tensor | None]:
        """Layer by layer, then attention, each for all steps at once; outputs are [T, B, O]."""
        s = z
        for number, (module, norm) in enumerate(zip(self.cells, self.norms, strict=True)):
            assert isinstance(module, Cell)
            if number:
                z = module.project(self.dropout(s) if self.training else s)
            first = tuple(part.unsqueeze(0) for part in state.layers[number])
            h = norm(run([module], z.unsqueeze(1), first).h.squeeze(1))
            s = h + s if number >= 2 else h
        context, alpha = self.look_up(s, state, memory)
        return self.read(s, y, context), alpha

    def _loop(
        self, y: Tensor, z: Tensor, state: DecoderState, memory: Memory
    ) -> tuple[Tensor, Tensor | None]:
        """Step by step, with the gradients of all shared factors formed once."""
        if self.attention is not None:
            memory = self.attention.shared(memory)
        z = wide(z)
        weights = self.loop_weights()
        weights = LoopWeights(
            tuple(w.shared() for w in weights.layers),
            Shared(weights.readout) if isinstance(weights.readout, Tensor) else None,
        )
        like = z.new_empty(*z.shape[:2], self.hidden, dtype=torch.float32)
        dropout = self.dropout.mask if self.training else lambda _: None
        masks = [None, *(dropout(like) for _ in self.cells[1:])]
        moments = []
        # The shared factors are in the format of products by now; all else keeps float32.
        with torch.autocast(z.device.type, enabled=False):
            # unbind: the gradient of z[t] alone would be a whole z of zeros at every step.
            for t, z_t in enumerate(z.unbind()):
                now = [None if m is None else m[min(t, len(m) - 1)] for m in masks]
                moment = self.advance(z_t, state, memory, weights, now)
                state = moment.state
                moments.append(moment)
        rows = [m.weights for m in moments if m.weights is not None]
        alpha = torch.stack(rows, dim=1) if rows else None
        outputs = [m.output for m in moments if m.output is not None]
        if outputs:
            return torch.stack(outputs), alpha
        contexts = [m.context for m in moments if m.context is not None]
        s = torch.stack([m.s for m in moments])
        return self.read(s, y, torch.stack(contexts) if contexts else None), alpha

    def look_up(
        self, s: Tensor, state: DecoderState, memory: Memory
    ) -> tuple[Tensor | None, Tensor | None]:
        """Contexts [T, B, M] and weights [B, T, S] of all states s [T, B, H]."""
        assert self.attention is not None
        attended = self.attention(s.transpose(0, 1), memory, state.position)
        return attended.context.transpose(0, 1), attended.weights

    def project(self, y: Tensor, memory: Memory) -> Tensor:
        """The first layer's input product for all steps [T, B, G·H]."""
        first = self.cells[0]
        assert isinstance(first, Cell)
        return first.project(y)

    def loop_weights(self) -> LoopWeights:
        """Factors of the products inside a step, as plain tensors."""
        layers = []
        for number, module in enumerate(self.cells):
            assert isinstance(module, Cell)
            layers.append(module.weights(inside=number > 0))
        return LoopWeights(tuple(layers))

    def _run_cells(
        self,
        z: Tensor,
        extra: Tensor | None,
        state: DecoderState,
        weights: LoopWeights,
        masks: list[Tensor | None],
    ) -> tuple[Tensor, tuple[CellState, ...]]:
        """One step of every layer; returns the top layer's output and the new states."""
        s, layers = z, []
        for number, (module, norm) in enumerate(zip(self.cells, self.norms, strict=True)):
            assert isinstance(module, Cell)
            if number:
                mask = masks[number]
                extra, z = s if mask is None else s * mask, module.bias
            new = module.step(z, state.layers[number], extra, weights.layers[number])
            layers.append(new)
            h = norm(new[0])
            s = h + s if number >= 2 else h
        return s, tuple(layers)

    def combine(self, *parts: Tensor) -> Tensor:
        """tanh(W [parts] + b)."""
        assert self.readout is not None
        return tanh(self.readout(torch.cat(parts, dim=-1)))

    def _attend(
        self, s: Tensor, state: DecoderState, memory: Memory, forced: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Context, weights and coverage after looking up s [B, H]."""
        assert self.attention is not None
        attended = self.attention(
            s.unsqueeze(1),
            memory,
            state.position,
            state.coverage,
            None if forced is None else forced.unsqueeze(1),
        )
        weights = attended.weights.squeeze(1)
        coverage = None if state.coverage is None else state.coverage + weights
        return attended.context.squeeze(1), weights, coverage
