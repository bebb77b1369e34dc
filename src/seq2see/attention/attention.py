"""Attention as a value: prepare a memory once, then ask it with each query.

    memory = attention.prepare(h, lengths)              # once a sentence
    attended = attention(s, memory, position)           # once a step, or for all steps at once
    attended.context, attended.weights

Nothing is written on the module, and the same call serves one step (T = 1) and a whole
target sequence.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from seq2see.attention import score as scores
from seq2see.attention import window as windows
from seq2see.attention.score import AdditiveKeys
from seq2see.config import SAME_WIDTH, AttentionConfig, ScoreName
from seq2see.errors import ConfigError, ModelError
from seq2see.model.functions import wide
from seq2see.model.shared import Shared, product

MULTIHEAD_SCORES = ("dot", "scaled_dot", "general", "additive")


class Memory(NamedTuple):
    """What the steps of a sentence look things up in; computed once.

    Attributes:
        h: Encoder states, the values [B, S, M] ([B·heads, S, M/heads] for several heads).
        keys: [B, K, S], or [B, S, A] for the additive score; None for the location score.
        mask: True on real positions [B, S].
        lengths: Real positions of each sentence [B].
        w_query: W of the additive score [H, A].
        w_centre: W of the local-p window [H, H].
    """

    h: Tensor | Shared
    keys: Tensor | Shared | AdditiveKeys | None
    mask: Tensor
    lengths: Tensor
    w_query: Tensor | Shared | None
    w_centre: Tensor | Shared | None

    def select(self, rows: Tensor, heads: int = 1) -> Memory:
        """The memory of the sentences ``rows`` [R]."""

        def pick(x: Tensor | Shared | AdditiveKeys | None) -> Tensor | None:
            if not isinstance(x, Tensor):
                return None
            return x.unflatten(0, (-1, heads))[rows].flatten(0, 1) if heads > 1 else x[rows]

        h = pick(self.h)
        assert h is not None
        return self._replace(
            h=h, keys=pick(self.keys), mask=self.mask[rows], lengths=self.lengths[rows]
        )


def key_scale(score: ScoreName, memory: int) -> float:
    """What the learned W' of the keys is multiplied by to make W.

    Adam moves all entries of a matrix alike, and e = sᵀW h sums H·M of them: with W = W' one update
    could make a peak of any softmax, and a bilinear model then hardly learns. W = W'/√M is the same
    equation with smaller steps. The additive score has its tanh to bound it.

    Args:
        score: Name of the score.
        memory: Units M of an encoder state.
    """
    return memory**-0.5 if score == "general" else 1.0


class Attended(NamedTuple):
    """What attention returns.

    Attributes:
        context: c_t = Σ_i α_ti h_i [B, T, M].
        weights: α_ti [B, T, S]; with several heads, their mean.
    """

    context: Tensor
    weights: Tensor


class Attention(nn.Module):
    """α_t = softmax over a window of score(s_t, h_i); c_t = Σ α_ti h_i.

    Args:
        config: Score, window and extras.
        query: Units H of the decoder state.
        memory: Units M of an encoder state.
        max_source: Positions the location score knows.
    """

    def __init__(self, config: AttentionConfig, query: int, memory: int, max_source: int) -> None:
        super().__init__()
        name = config.score or "general"
        self.score, self.window, self.heads = name, config.window, config.heads
        self.width, self.normalise = config.width, config.normalise
        self._check(config, query, memory)
        # Units the keys are projected to; None: the encoder states are the keys themselves.
        keys = {"general": query, "additive": config.size or query}.get(name)
        self.w_keys = nn.Linear(memory, keys, bias=False) if keys else None
        self.key_scale = key_scale(name, memory)
        if name == "additive":
            assert keys is not None
            self.w_query = nn.Parameter(torch.empty(query, keys))
            self.v = nn.Parameter(torch.empty(config.heads, keys // config.heads))
        if name == "cosine":
            # exp keeps τ positive; a cosine alone spans so little that no softmax could peak.
            self.log_temperature = nn.Parameter(torch.tensor(2.0))
        if name == "location":
            self.w_location = nn.Parameter(torch.empty(max_source, query))
        if config.window == "local_p":
            self.w_centre = nn.Parameter(torch.empty(query, query))
            self.v_centre = nn.Parameter(torch.empty(query))
        self.w_coverage = nn.Parameter(torch.zeros(())) if config.coverage else None
        for parameter in self.parameters():
            if parameter.ndim:
                bound = parameter.shape[-1] ** -0.5
                nn.init.uniform_(parameter, -bound, bound)

    def _check(self, config: AttentionConfig, query: int, memory: int) -> None:
        if self.score in SAME_WIDTH and query != memory:
            raise ConfigError(
                f"model.attention.score = '{self.score}' compares states of one width, but the "
                f"decoder has {query} units and the encoder {memory}. Set model.memory to "
                f"{query}, or take 'general' or 'additive'."
            )
        if config.heads > 1:
            if self.score not in MULTIHEAD_SCORES:
                raise ConfigError(
                    f"model.attention.heads > 1 goes with {', '.join(MULTIHEAD_SCORES)}, "
                    f"not with '{self.score}'."
                )
            for units, name in ((query, "hidden"), (memory, "memory")):
                if units % config.heads:
                    raise ConfigError(
                        f"model.{name} = {units} cannot be shared by "
                        f"model.attention.heads = {config.heads}."
                    )
        if config.heads < 1 or config.width < 1:
            raise ConfigError("model.attention.heads and model.attention.width must be at least 1.")

    def prepare(self, h: Tensor, lengths: Tensor) -> Memory:
        """Projects the encoder states once.

        Args:
            h: Encoder states [B, S, M].
            lengths: Real positions of each sentence [B].
        """
        positions = torch.arange(h.shape[1], device=h.device)
        keys: Tensor | None = h
        if self.w_keys is not None:
            keys = nn.functional.linear(h, self.w_keys.weight * self.key_scale)
        if self.score == "location":
            if h.shape[1] > self.w_location.shape[0]:
                raise ModelError(
                    f"The sentence has {h.shape[1]} tokens and the location score of this model "
                    f"knows {self.w_location.shape[0]} positions. Split it, or train with a "
                    "larger model.max_source."
                )
            keys = None
        if keys is not None:
            keys = self._split(keys)
            if self.score == "cosine":
                keys = nn.functional.normalize(keys, dim=-1)
            if self.score == "additive":
                keys = wide(keys)
            else:
                keys = keys.transpose(1, 2)
        return Memory(
            h=self._split(h),
            keys=keys,
            mask=positions < lengths.unsqueeze(1),
            lengths=lengths,
            w_query=self.w_query if self.score == "additive" else None,
            w_centre=self.w_centre if self.window == "local_p" else None,
        )

    def shared(self, memory: Memory) -> Memory:
        """The same memory for a training loop: gradients of its parts are formed once."""

        def share(x: Tensor | Shared | None) -> Shared | None:
            return Shared(x) if isinstance(x, Tensor) else None

        keys: Tensor | Shared | AdditiveKeys | None = memory.keys
        if isinstance(keys, Tensor):
            if self.score != "additive":
                keys = Shared(keys)
            elif self.heads == 1:
                keys = AdditiveKeys(keys, self.v[0])
        return memory._replace(
            h=share(memory.h) or memory.h,
            keys=keys,
            w_query=share(memory.w_query),
            w_centre=share(memory.w_centre),
        )

    def forward(
        self,
        s: Tensor,
        memory: Memory,
        position: Tensor,
        coverage: Tensor | None = None,
        forced: Tensor | None = None,
    ) -> Attended:
        """Looks up every query in its sentence's memory.

        Args:
            s: Queries [B, T, H].
            memory: From ``prepare``.
            position: t of the first query of each sentence [B].
            coverage: Attention each position got so far, Σ_{t'<t} α_t'i [B, S].
            forced: Weights to use instead of the model's own [B, T, S].
        """
        weights = self._weights(s, memory, position, coverage)
        if forced is not None:
            weights = self._repeat(forced)
        context = product(memory.h, weights)
        if self.heads > 1:
            context = context.unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2)
            weights = weights.unflatten(0, (-1, self.heads)).mean(1)
        return Attended(context, weights)

    def _weights(
        self, s: Tensor, memory: Memory, position: Tensor, coverage: Tensor | None
    ) -> Tensor:
        e = self._scores(s, memory)  # [B·heads, T, S]
        if self.w_coverage is not None and coverage is not None:
            e = e + self.w_coverage * self._repeat(coverage).unsqueeze(1)
        mask, gauss = memory.mask.unsqueeze(1), None
        if self.window != "global":
            window = self._window(s, memory, position)
            mask, gauss = mask & window.inside, window.gauss
        if gauss is not None and self.normalise:
            e = e + self._repeat(gauss)
        weights = wide(e).masked_fill(~self._repeat(mask), -torch.inf).softmax(-1)
        if gauss is not None and not self.normalise:
            return weights * self._repeat(gauss).exp()
        return weights

    def _scores(self, s: Tensor, memory: Memory) -> Tensor:
        if self.score == "location":
            return scores.location(s, self.w_location, memory.mask.shape[1])
        keys = memory.keys
        assert keys is not None
        if self.score == "additive":
            assert memory.w_query is not None
            assert isinstance(keys, (Tensor, AdditiveKeys))
            q = product(memory.w_query, s.flatten(0, 1)).view(*s.shape[:2], -1)
            return self._additive(self._split(wide(q)), keys)
        assert isinstance(keys, (Tensor, Shared))
        s = self._split(s)
        if self.score == "cosine":
            return scores.cosine(s, keys, self.log_temperature.exp())
        products = {"dot": scores.dot, "scaled_dot": scores.scaled_dot, "general": scores.general}
        return products[self.score](s, keys)

    def _additive(self, q: Tensor, keys: Tensor | AdditiveKeys) -> Tensor:
        if isinstance(keys, AdditiveKeys):
            return scores.additive(q, keys)
        # Each head has a v of its own; heads lie beside each other in the batch.
        heads = [
            scores.additive(q[i :: self.heads], AdditiveKeys(keys[i :: self.heads], self.v[i]))
            for i in range(self.heads)
        ]
        return torch.stack(heads, dim=1).flatten(0, 1)

    def _window(self, s: Tensor, memory: Memory, position: Tensor) -> windows.Window:
        positions = torch.arange(memory.mask.shape[1], device=s.device)
        if self.window == "local_m":
            p = windows.monotonic_centre(position, s.shape[1], memory.lengths)
            return windows.local_m(p, positions, self.width)
        assert memory.w_centre is not None
        p = windows.predicted_centre(s, memory.w_centre, self.v_centre, memory.lengths)
        return windows.local_p(p, positions, self.width)

    def _split(self, x: Tensor) -> Tensor:
        """[B, T, K] → [B·heads, T, K/heads]: each head takes its share of the units."""
        if self.heads == 1:
            return x
        heads: Tensor = x.unflatten(2, (self.heads, -1))
        return heads.transpose(1, 2).flatten(0, 1)

    def _repeat(self, x: Tensor) -> Tensor:
        return x.repeat_interleave(self.heads, dim=0) if self.heads > 1 else x
