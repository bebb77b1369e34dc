"""The network: encoder, decoder and output layer."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from seq2see.attention.attention import Memory
from seq2see.config import ModelConfig
from seq2see.errors import ConfigError
from seq2see.model.decoder import DecoderState, Step, Unrolled
from seq2see.model.embedding import Embedding
from seq2see.model.encoder import Encoder
from seq2see.model.functions import wide
from seq2see.model.loss import Taught, cross_entropy
from seq2see.model.wirings import WIRINGS
from seq2see.text.vocabulary import BOS, PAD

NEVER = [PAD, BOS]
"""Tokens that no output ever holds."""


class Started(NamedTuple):
    """A source that was read, and the decoder before its first token."""

    memory: Memory
    state: DecoderState


class Loss(NamedTuple):
    """Sums over the target tokens of a batch.

    Attributes:
        total: What training minimises, label smoothing included.
        plain: Cross-entropy without smoothing.
        tokens: How many tokens were summed over.
        weights: Attention [B, T, S]; None without attention.
    """

    total: Tensor
    plain: Tensor
    tokens: int
    weights: Tensor | None


class Seq2Seq(nn.Module):
    """p(y | x) = Π_t softmax(W_y s̃_t + b_y).

    Args:
        config: Settings with every choice made (no None where the model needs a number).
        source_size: Entries of the source vocabulary.
        target_size: Entries of the target vocabulary.
    """

    def __init__(self, config: ModelConfig, source_size: int, target_size: int) -> None:
        super().__init__()
        assert config.embedding is not None
        assert config.hidden is not None
        self.config = config
        memory = config.memory or config.hidden
        tied = config.tie in ("target", "all")
        rate = config.dropout if config.embedding_dropout is None else config.embedding_dropout
        options = (rate or 0.0, config.word_dropout, config.variational)
        source = Embedding(source_size, config.embedding, *options)
        target = source
        if config.tie not in ("inputs", "all"):
            target = Embedding(target_size, config.embedding, *options)
        elif source_size != target_size:
            raise ConfigError(
                f"model.tie = '{config.tie}' needs one joint vocabulary (text.joint = true)."
            )
        self.encoder = Encoder(config, source, memory)
        output = config.embedding if tied else config.hidden
        self.decoder = WIRINGS[config.wiring](config, target, memory, output)
        self.w_output = target.weight if tied else nn.Parameter(torch.empty(target_size, output))
        if not tied:
            nn.init.normal_(self.w_output, std=output**-0.5)
        self.b_output = nn.Parameter(torch.zeros(target_size))

    @property
    def attends(self) -> bool:
        """Whether the wiring has attention at all."""
        return self.decoder.attends

    def start(self, source: Tensor, lengths: Tensor) -> Started:
        """Reads the source ids [B, S]."""
        encoded = self.encoder(source, lengths)
        return Started(self.decoder.prepare(encoded), self.decoder.start(encoded))

    def step(
        self, tokens: Tensor, state: DecoderState, memory: Memory, forced: Tensor | None = None
    ) -> Step:
        """One decoding step (see ``Decoder.step``)."""
        return self.decoder.step(tokens, state, memory, forced)

    def logits(self, output: Tensor) -> Tensor:
        """W_y s̃ + b_y [..., O] → [..., V]; never the padding or the start mark."""
        logits = wide(nn.functional.linear(output, self.w_output)) + self.b_output
        logits[..., NEVER] = -torch.inf
        return logits

    def forward(
        self,
        source: Tensor,
        lengths: Tensor,
        target: Tensor,
        smoothing: float = 0.0,
        teacher_forcing: float = 1.0,
        agreement: float = 0.0,
        taught: Taught | None = None,
        distillation: float = 0.0,
    ) -> Loss:
        """Cross-entropy of target sequences under teacher forcing.

        With agreement every sentence is read twice, under two dropouts, and the loss is the mean
        of both with their divergence added (R-Drop, Liang 2021).

        Args:
            source: Ids, end mark included, padded on the right [B, S].
            lengths: Real source positions [B].
            target: Start mark, tokens, end mark, padded on the right [B, T + 1].
            smoothing: Label smoothing ε.
            teacher_forcing: Share of steps fed with the true token.
            agreement: Weight of the divergence between the two passes; 0 makes one pass.
            taught: What a teacher predicts at each target position [B, T, K].
            distillation: How much the teacher's predictions count, the targets counting the rest.
        """
        batch, passes = len(source), 2 if agreement else 1
        source, lengths, target = (torch.cat([x] * passes) for x in (source, lengths, target))
        memory, state = self.start(source, lengths)
        inputs, wanted = target[:, :-1], target[:, 1:]
        if teacher_forcing < 1:
            unrolled = self._sampled(inputs, state, memory, teacher_forcing)
        else:
            unrolled = self.decoder.unroll(inputs, state, memory)
        real = wanted != PAD
        output, tokens = unrolled.output[real], wanted[real]
        if taught is not None:
            taught = Taught(*(torch.cat([part] * passes)[real] for part in taught))
        sums = cross_entropy(
            output,
            self.w_output,
            self.b_output,
            tokens,
            smoothing,
            NEVER,
            agreement,
            taught,
            distillation,
        )
        weights = None if unrolled.weights is None else unrolled.weights[:batch]
        return Loss(sums[0] / passes, sums[1].detach() / passes, len(tokens) // passes, weights)

    def _sampled(
        self, inputs: Tensor, state: DecoderState, memory: Memory, teacher_forcing: float
    ) -> Unrolled:
        """Scheduled sampling (Bengio 2015): now and then the model reads its own best token."""
        tokens, outputs, rows = inputs[:, 0], [], []
        forced = torch.rand(inputs.shape, device=inputs.device) < teacher_forcing
        for t in range(inputs.shape[1]):
            step = self.decoder.step(tokens, state, memory)
            state = step.state
            outputs.append(step.output)
            if step.weights is not None:
                rows.append(step.weights)
            if t + 1 < inputs.shape[1]:
                with torch.no_grad():
                    own = self.logits(step.output).argmax(-1)
                keep = forced[:, t + 1] | (inputs[:, t + 1] == PAD)
                tokens = torch.where(keep, inputs[:, t + 1], own)
        output = torch.stack(outputs)
        if self.training:
            output = self.decoder.dropout(output)
        return Unrolled(output.transpose(0, 1), torch.stack(rows, dim=1) if rows else None)
