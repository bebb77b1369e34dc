"""The engine that runs the network in torch, on CPU or GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seq2see.attention.attention import Memory
from seq2see.engine.engine import Distribution, FloatArray, IntArray, Proposal, State
from seq2see.model.decoder import DecoderState, Step
from seq2see.model.functions import wide
from seq2see.model.seq2seq import Seq2Seq
from seq2see.text.vocabulary import PAD


@dataclass(frozen=True)
class TorchState:
    """Rows under way.

    Attributes:
        sources: The memory of every sentence the search began with.
        memory: The memory of each row; made again only when rows change sentence.
        sentence: Which sentence each row belongs to [R].
        decoder: The decoder's state.
        heads: Attention heads, which lie in the memory's first dimension.
    """

    sources: Memory
    memory: Memory
    sentence: Tensor
    decoder: DecoderState
    heads: int

    def select(self, rows: IntArray) -> TorchState:
        """Keeps (and repeats) rows."""
        picked = torch.from_numpy(rows).to(self.sentence.device)
        with torch.inference_mode():
            sentence = self.sentence[picked]
            memory = self.memory
            if not torch.equal(sentence, self.sentence):
                memory = self.sources.select(sentence, self.heads)
            return TorchState(
                self.sources, memory, sentence, self.decoder.select(picked), self.heads
            )


class TorchEngine:
    """Runs a network.

    Args:
        network: The model, in evaluation mode whenever the engine is used.
        device: Where it runs.
        dtype: Format of products; bfloat16 is faster where the machine computes in it.
    """

    rows = 320
    """A step is made of many operators; this many rows pay for them."""

    def __init__(
        self, network: Seq2Seq, device: str = "cpu", dtype: torch.dtype = torch.float32
    ) -> None:
        self.network = network.to(device)
        self.device, self.dtype = torch.device(device), dtype

    @property
    def target_size(self) -> int:
        """Size of the target vocabulary."""
        return len(self.network.b_output)

    def start(self, sources: Sequence[Sequence[int]]) -> TorchState:
        """Encodes sentences (token ids, end mark included)."""
        lengths = torch.tensor([len(s) for s in sources], device=self.device)
        ids = torch.full((len(sources), int(lengths.max())), PAD, device=self.device)
        for row, source in zip(ids, sources, strict=True):
            row[: len(source)] = torch.tensor(source)
        with torch.inference_mode(), self._autocast():
            memory, state = self.network.start(ids, lengths)
        attention = self.network.decoder.attention
        heads = attention.heads if attention is not None else 1
        rows = torch.arange(len(sources), device=self.device)
        return TorchState(memory, memory, rows, state, heads)

    def step(
        self,
        state: State,
        tokens: IntArray,
        k: int,
        *,
        score_of: IntArray | None = None,
        attention: FloatArray | None = None,
    ) -> Proposal:
        """Feeds each row its previous token and proposes the k best next ones."""
        assert isinstance(state, TorchState)
        with torch.inference_mode(), self._autocast():
            step = self._advance(state, tokens, attention)
            logits = self.network.logits(step.output)
            best = logits.topk(min(k, logits.shape[-1] - 2), dim=-1)
            # log Σ exp z = z_max − log p_max: a softmax costs a fraction of torch's logsumexp.
            p_max = logits.softmax(-1).gather(1, best.indices[:, :1])
            log_sum = best.values[:, :1] - p_max.log()
            given = None
            if score_of is not None:
                at = torch.from_numpy(score_of).to(self.device).unsqueeze(1)
                given = _numpy((logits.gather(1, at) - log_sum).squeeze(1))
        return Proposal(
            tokens=best.indices.cpu().numpy(),
            scores=_numpy(best.values - log_sum),
            attention=_weights(state, step),
            state=_after(state, step),
            given=given,
        )

    def distribution(
        self, state: State, tokens: IntArray, attention: FloatArray | None = None
    ) -> Distribution:
        """Feeds each row its previous token and scores the whole vocabulary (for ensembles)."""
        assert isinstance(state, TorchState)
        with torch.inference_mode(), self._autocast():
            step = self._advance(state, tokens, attention)
            scores = self.network.logits(step.output).log_softmax(-1)
        return Distribution(_numpy(scores), _weights(state, step), _after(state, step))

    def _advance(self, state: TorchState, tokens: IntArray, attention: FloatArray | None) -> Step:
        forced = None if attention is None else torch.from_numpy(attention).to(self.device)
        fed = torch.from_numpy(tokens).to(self.device)
        return self.network.step(fed, state.decoder, state.memory, forced)

    def _autocast(self) -> torch.autocast:
        enabled = self.dtype != torch.float32
        return torch.autocast(self.device.type, dtype=self.dtype, enabled=enabled)


def _after(state: TorchState, step: Step) -> TorchState:
    return TorchState(state.sources, state.memory, state.sentence, step.state, state.heads)


def _weights(state: TorchState, step: Step) -> FloatArray:
    """Attention [R, S]; zeros from the vanilla model, which looks at nothing."""
    if step.weights is not None:
        return _numpy(step.weights)
    return np.zeros(tuple(state.memory.mask.shape), np.float32)


def _numpy(x: Tensor) -> FloatArray:
    array: FloatArray = wide(x).cpu().numpy().astype(np.float32, copy=False)
    return array
