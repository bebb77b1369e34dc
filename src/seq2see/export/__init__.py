"""Export to ONNX: graphs built from a model's weights, in float and in 8 bits.

Each file here says in ONNX what its namesake in ``model`` or ``attention`` says in torch; tests
hold the two equal for every score, window, wiring and cell.
"""

from seq2see.export.export import export_model
from seq2see.export.shortlist import learn_shortlist

__all__ = ["export_model", "learn_shortlist"]
