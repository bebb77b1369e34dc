"""Attention: scores, windows, and their composition."""

from seq2see.attention.attend import Lookup, attend
from seq2see.attention.attention import Attended, Attention, Memory

__all__ = ["Attended", "Attention", "Lookup", "Memory", "attend"]
