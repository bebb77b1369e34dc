"""What each part of the pronunciation recipe is worth: taken away or added, one at a time.

    python bench/ablation.py --data DIR [--work runs/ablation] [--only dropout]

DIR holds ``g2p/low/LANG_{train,dev}.tsv``. Every row is learned on LANGUAGES with SEEDS; its score
is the mean sequence error of the dev pairs, and its gain is measured seed by seed against the
recipe as it stands. Two runs at a time have a core each. What was trained before is not trained
again.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean, stdev

from runs import Run, run_all

LANGUAGES = ("ady", "ice", "khm", "lav", "slv")
SEEDS = (1, 2, 3)
RECIPE = "the recipe"
ROWS: dict[str, dict[str, object]] = {
    RECIPE: {},
    "no agreement between two passes": {"training.agreement": 0.0},
    "no label smoothing": {"training.label_smoothing": 0.0},
    "no averaging of weights": {"training.ema": 0.0},
    "dropout 0.2": {"model.dropout": 0.2},
    "a constant learning rate": {"training.schedule": "constant"},
    "half the updates": {"training.epochs": 30},
    "batches of 64": {"training.batch_pairs": 64},
    "variational dropout": {"model.variational": True},
    "word dropout 0.05": {"model.word_dropout": 0.05},
    "one encoder layer": {"model.encoder_layers": 1},
    "attention not guided": {"training.guided_alignment": 0.0},
    "additive score": {"model.attention.score": "additive"},
    "input feeding": {"model.input_feeding": True},
    "bahdanau's wiring, additive": {
        "model.wiring": "bahdanau",
        "model.attention.score": "additive",
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("runs/ablation"))
    parser.add_argument("--only", default="", help="train only rows whose names hold this")
    parser.add_argument("--parallel", type=int, default=2)
    options = parser.parse_args()
    found: dict[str, list[float]] = {}
    for row, settings in ROWS.items():
        runs = [
            Run(
                f"{row.replace(' ', '-')}/{language}-{seed}",
                "g2p.toml",
                str(options.data / f"g2p/low/{language}_train.tsv"),
                str(options.data / f"g2p/low/{language}_dev.tsv"),
                {"training.seed": seed, "training.threads": 1, **settings},
            )
            for seed in SEEDS
            for language in LANGUAGES
        ]
        if options.only not in row and not all(
            (options.work / run.name / "result.json").is_file() for run in runs
        ):
            continue
        done = run_all(runs, options.work, options.parallel)
        if len(done) == len(runs):
            values = [done[run.name]["scores"][0]["value"] for run in runs]
            step = len(LANGUAGES)
            found[row] = [mean(values[i : i + step]) for i in range(0, len(values), step)]
    lines = ["| | sequence error | gain over the recipe |", "|---|---:|---:|"]
    for row, by_seed in found.items():
        gains = [b - a for a, b in zip(by_seed, found.get(RECIPE, by_seed), strict=True)]
        told = "" if row == RECIPE else f"{mean(gains):+.1f} ± {stdev(gains):.1f}"
        lines.append(f"| {row} | {mean(by_seed):.1f} | {told} |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
