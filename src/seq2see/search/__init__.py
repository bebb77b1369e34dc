"""Search for outputs: greedy, beam, sampling, and scoring of given ones. NumPy only."""

from seq2see.search.forced import score_targets
from seq2see.search.hypothesis import Hypothesis
from seq2see.search.options import SearchConfig
from seq2see.search.search import search
from seq2see.search.stream import search_stream

__all__ = ["Hypothesis", "SearchConfig", "score_targets", "search", "search_stream"]
