"""The encoder: reads the source in one or both directions."""

from __future__ import annotations

from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from seq2see.config import ModelConfig
from seq2see.errors import ConfigError
from seq2see.model.cells import CELLS, Cell, run
from seq2see.model.embedding import Embedding
from seq2see.model.functions import Dropout, reversal, reverse


class Encoded(NamedTuple):
    """What the decoder gets of the source.

    Attributes:
        h: States of the top layer [B, S, M]; zero on padding.
        last: For each layer the tensors of its last state, both directions beside each other,
            each [B, M].
        lengths: Real positions [B].
    """

    h: Tensor
    last: tuple[tuple[Tensor, ...], ...]
    lengths: Tensor


class Encoder(nn.Module):
    """A stack of recurrent layers, with residual connections from the third layer on.

    Each direction reads right-padded sequences from its own end, so that padding comes last and
    never reaches a state that counts.

    Args:
        config: The model's settings, every choice made.
        embedding: Source token vectors.
        units: M, both directions together.
    """

    def __init__(self, config: ModelConfig, embedding: Embedding, units: int) -> None:
        super().__init__()
        directions = 2 if config.bidirectional else 1
        if units % directions:
            raise ConfigError(f"model.memory = {units} must be even: each direction gets half.")
        self.embedding = embedding
        cell = CELLS[config.encoder_cell]
        sizes = [embedding.weight.shape[1]] + [units] * ((config.encoder_layers or 1) - 1)
        self.layers = nn.ModuleList(
            nn.ModuleList(cell(size, units // directions) for _ in range(directions))
            for size in sizes
        )
        self.norms = nn.ModuleList(
            nn.LayerNorm(units) if config.layer_norm else nn.Identity() for _ in sizes
        )
        self.dropout = Dropout(config.dropout or 0.0, config.variational)

    def forward(self, source: Tensor, lengths: Tensor) -> Encoded:
        """Reads source ids [B, S]."""
        x = self.embedding(source.t())  # [S, B, E]: time first inside
        order = reversal(lengths, source.shape[1])
        at_end = (lengths - 1, torch.arange(len(lengths), device=lengths.device))
        last = []
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            cells = cast(list[Cell], list(cast(nn.ModuleList, layer)))
            inputs = [x, reverse(x, order)][: len(cells)]
            z = torch.stack([cell.project(i) for cell, i in zip(cells, inputs, strict=True)], dim=1)
            start = cells[0].zero_state(len(cells) * len(lengths), x.detach())
            outputs = run(cells, z, tuple(s.unflatten(0, (len(cells), -1)) for s in start))
            last.append(
                tuple(
                    # [D, B, H] → [B, D·H]
                    torch.cat([s[at_end[0], d, at_end[1]] for d in range(len(cells))], dim=-1)
                    for s in outputs.states
                )
            )
            h = outputs.h[:, 0]
            if len(cells) == 2:
                h = torch.cat([h, reverse(outputs.h[:, 1], order)], dim=-1)
            h = norm(h)
            if number >= 2:
                h = h + x
            x = self.dropout(h) if self.training else h
        inside = torch.arange(source.shape[1], device=source.device).unsqueeze(1) < lengths
        h = (x * inside.unsqueeze(-1)).transpose(0, 1).contiguous()
        return Encoded(h, tuple(last), lengths)
