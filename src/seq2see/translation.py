"""What comes back from a model: text, score, tokens, and what was looked at."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from seq2see.data.corpus import Links
    from seq2see.see.heatmap import HeatMap


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

    # What follows looks to the right on the data's way (pictures are made from translations), and
    # so it imports when called.

    def alignment(self, shift: int = 0) -> Links:
        """Links every target word to the source word it looked at most.

        Args:
            shift: Row t of the attention is taken to explain target token t + shift.
        """
        from seq2see.alignment import align

        return align(self, shift)

    def heatmap(self, words: bool = False) -> HeatMap:
        """The attention with its labels, over tokens or merged into whole words."""
        from seq2see.see import HeatMap

        return HeatMap.of(self, words)

    def words(self) -> HeatMap:
        """The attention between whole words."""
        return self.heatmap(words=True)

    def to_svg(self, words: bool = False) -> str:
        """The attention as one SVG picture."""
        from seq2see.see import to_svg

        return to_svg(self.heatmap(words))

    def to_html(self, words: bool = False) -> str:
        """The attention as one page that needs nothing else."""
        from seq2see.see import to_html

        return to_html(self.heatmap(words), title=self.source or "Attention")

    def to_dict(self, attention: bool = True) -> dict[str, Any]:
        """All that is known as plain values, numbers rounded to six digits."""
        values: dict[str, Any] = {
            "source": self.source,
            "text": self.text,
            "score": round(float(self.score), 6),
            "source_tokens": list(self.source_tokens),
            "target_tokens": list(self.target_tokens),
            "token_scores": [round(float(score), 6) for score in self.token_scores],
        }
        if attention:
            values["attention"] = [[round(float(a), 6) for a in row] for row in self.attention]
        if self.alternatives:
            values["alternatives"] = [other.to_dict(attention) for other in self.alternatives]
        return values

    def to_json(self, attention: bool = True) -> str:
        """``to_dict`` as one line of JSON."""
        return json.dumps(self.to_dict(attention), ensure_ascii=False)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.to_svg()
