"""What each score, window and wiring does to exact match and to alignment error.

    python bench/scores.py --work DIR

Every row learns the pairs of ``phrases:en-es`` of at most 16 tokens, with the same settings and
seed, and is measured on the test pairs of at most 12 words. "As it is" takes row t of the attention
for target word t; "one later" takes the row after it, "one earlier" the row before. "Guided" adds
the loss that pulls attention to the gold links.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from seq2see.machine import tune_environment

tune_environment()

from seq2see.alignment import align  # noqa: E402
from seq2see.config import Config, with_settings  # noqa: E402
from seq2see.data.readers import read_pairs  # noqa: E402
from seq2see.evaluate import alignment_error_rate  # noqa: E402
from seq2see.evaluate.metrics import exact_match  # noqa: E402
from seq2see.search import SearchConfig  # noqa: E402
from seq2see.training.run import train_once  # noqa: E402
from seq2see.translator import Translator  # noqa: E402

BASE = {
    "data.train": "phrases:en-es",
    "data.max_length": 16,
    "model.memory": 256,
    "training.batch_pairs": 48,
    "training.epochs": 2,
    "training.learning_rate": 2e-3,
    "training.warmup": 200,
    "training.ema": 0.995,
    "training.validate_every": 400,
    "training.threads": 1,
}
ROWS = {
    "luong dot": {"model.attention.score": "dot"},
    "luong scaled_dot": {"model.attention.score": "scaled_dot"},
    "luong general": {"model.attention.score": "general"},
    "luong cosine": {"model.attention.score": "cosine"},
    "luong additive": {"model.attention.score": "additive"},
    "luong location": {"model.attention.score": "location"},
    "luong general, local_m": {
        "model.attention.score": "general",
        "model.attention.window": "local_m",
    },
    "luong general, local_p": {
        "model.attention.score": "general",
        "model.attention.window": "local_p",
    },
    "luong general, 4 heads": {"model.attention.score": "general", "model.attention.heads": 4},
    "luong general, input feeding": {
        "model.attention.score": "general",
        "model.input_feeding": True,
    },
    "bahdanau general": {"model.wiring": "bahdanau", "model.attention.score": "general"},
    "bahdanau additive": {"model.wiring": "bahdanau", "model.attention.score": "additive"},
    "luong general, guided": {
        "model.attention.score": "general",
        "training.guided_alignment": 0.5,
    },
    "bahdanau additive, guided": {
        "model.wiring": "bahdanau",
        "model.attention.score": "additive",
        "training.guided_alignment": 0.5,
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", default="", help="rows whose names hold this")
    options = parser.parse_args()
    test = read_pairs("phrases:en-es/test")
    rows = [i for i, text in enumerate(test.sources) if len(text.split()) <= 12]
    sources = [test.sources[i] for i in rows]
    targets = [test.targets[i] for i in rows]
    assert test.links is not None
    gold = [test.links[i] for i in rows]
    print("| wiring and score | exact match | as it is | one later | one earlier |")
    print("|---|---:|---:|---:|---:|", flush=True)
    for name, settings in ROWS.items():
        if options.only not in name:
            continue
        folder = options.work / name.replace(" ", "-").replace(",", "")
        train_once(with_settings(Config(), {**BASE, **settings}), folder)
        model = Translator.load(folder)
        outputs = [t.text for t in model.translate(sources, SearchConfig())]
        exact = exact_match(outputs, targets).value
        forced = model.score(sources, targets)
        errors = [
            alignment_error_rate([align(t, shift) for t in forced], gold).error_rate
            for shift in (0, -1, 1)
        ]
        print(
            f"| {name} | {exact:.1f} | " + " | ".join(f"{e:.3f}" for e in errors) + " |", flush=True
        )


if __name__ == "__main__":
    main()
