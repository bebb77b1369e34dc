"""Export to ONNX: graphs built from the weights, in float and int8, and the proof that they agree.

``export_model`` writes them; ``check_parity`` compares what they say with another engine.
"""

from seq2see.export.export import export_model
from seq2see.export.shortlist import learn_shortlist

__all__ = ["export_model", "learn_shortlist"]
