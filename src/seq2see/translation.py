"""What comes back from a model: text, score, tokens, and what was looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Translation:
    """One output sequence with the attention that made it.

    Attributes:
        text: The output as a person writes it.
        score: Log-probability of the whole output (natural logarithm), as the search ranks it
            before length normalisation.
        source: The input as given.
        source_tokens: Tokens the encoder read, the end mark ``</s>`` included [S].
        target_tokens: Tokens the decoder wrote, the end mark included if it was reached [T].
        token_scores: Log-probability of each target token [T].
        attention: Row t holds the weights used when target token t was predicted [T, S];
            every row sums to 1.
        source_words: Index of the (whitespace) word each source token belongs to [S];
            -1 for the end mark.
        target_words: The same for the target tokens [T].
        alternatives: The other outputs of an n-best search, best first.
    """

    text: str
    score: float
    source: str
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    token_scores: tuple[float, ...]
    attention: NDArray[np.float32]
    source_words: tuple[int, ...]
    target_words: tuple[int, ...]
    alternatives: tuple[Translation, ...] = field(default=())
