"""How good outputs are: metrics, score by length, alignment error, significance, diagnosis."""

from seq2see.evaluate.alignment import (
    AlignmentScore,
    AttentionStatistics,
    alignment_error_rate,
    attention_statistics,
)
from seq2see.evaluate.by_frequency import FrequencyTable, accuracy_by_frequency, frequencies
from seq2see.evaluate.by_length import Bucket, LengthTable, score_by_length
from seq2see.evaluate.calibration import (
    Calibration,
    calibration,
    output_calibration,
    token_calibration,
)
from seq2see.evaluate.diagnosis import Faults, collapse_warnings, find_faults
from seq2see.evaluate.metrics import METRICS, evaluate
from seq2see.evaluate.score import Score
from seq2see.evaluate.significance import (
    Comparison,
    compare_bleu,
    compare_means,
    compare_outputs,
    paired_bootstrap,
)

__all__ = [
    "METRICS",
    "AlignmentScore",
    "AttentionStatistics",
    "Bucket",
    "Calibration",
    "Comparison",
    "Faults",
    "FrequencyTable",
    "LengthTable",
    "Score",
    "accuracy_by_frequency",
    "alignment_error_rate",
    "attention_statistics",
    "calibration",
    "collapse_warnings",
    "compare_bleu",
    "compare_means",
    "compare_outputs",
    "evaluate",
    "find_faults",
    "frequencies",
    "output_calibration",
    "paired_bootstrap",
    "score_by_length",
    "token_calibration",
]
