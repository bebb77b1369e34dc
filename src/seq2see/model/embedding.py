"""Token ids to vectors."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from seq2see.model.functions import Dropout, keep_mask
from seq2see.text.vocabulary import PAD


class Embedding(nn.Module):
    """A table of token vectors with dropout of units and of whole tokens.

    The table may be the output layer's too, which wants entries of about 1/√E; a recurrent cell
    wants inputs of about 1. So the table holds the former and x = √E · row (Vaswani 2017, 3.4).

    Args:
        size: Vocabulary entries V.
        units: E.
        dropout: Chance that a unit is dropped in training.
        word_dropout: Chance that a whole token is dropped in training.
        variational: One unit mask for all positions.
    """

    def __init__(
        self, size: int, units: int, dropout: float, word_dropout: float, variational: bool
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size, units))
        nn.init.normal_(self.weight, std=units**-0.5)
        with torch.no_grad():
            self.weight[PAD] = 0
        self.dropout, self.word_dropout = Dropout(dropout, variational), word_dropout

    def forward(self, ids: Tensor) -> Tensor:
        """Looks ids up, time first [T, B] → [T, B, E]."""
        rows = nn.functional.embedding(ids, self.weight, padding_idx=PAD)
        x = rows * math.sqrt(rows.shape[-1])
        if self.training:
            x = self.dropout(x)
            if self.word_dropout:
                x = x * keep_mask((*ids.shape, 1), self.word_dropout, x)
        return x
