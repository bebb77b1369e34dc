"""What each part of a recipe is worth: taken away or added, one at a time.

    python bench/ablation.py pronunciation --data DIR [--work runs/ablation] [--only dropout]
    python bench/ablation.py translation --data DIR [--device cuda]

DIR holds ``g2p/low/LANG_{train,dev}.tsv`` and ``multi30k/{train,val}.{en,de}``. Pronunciation is
learned on LANGUAGES with SEEDS; its score is the mean sequence error of the dev pairs, and a gain
is measured seed by seed. Translation is learned once a row, and its score is the lower-cased BLEU
of val. Two runs at a time have a core each. What was trained before is not trained again.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from runs import Run, run_all

Settings = Mapping[str, object]
LANGUAGES = ("ady", "ice", "khm", "lav", "slv")
SEEDS = (1, 2, 3)
BASE = "as it stands"


@dataclass(frozen=True)
class Study:
    """Rows that are compared with the first.

    Attributes:
        recipe: File in recipes/.
        corpora: Training and dev pairs, below the data folder.
        seeds: Runs a corpus.
        score: Which score of a run counts, and its name.
        better: 1 if more is better, -1 if less is.
        rows: What differs from the recipe in each row.
    """

    recipe: str
    corpora: Sequence[tuple[str, str]]
    seeds: Sequence[int]
    score: tuple[int, str]
    better: int
    rows: Mapping[str, Settings]


PRONUNCIATION = Study(
    "g2p.toml",
    [(f"g2p/low/{one}_train.tsv", f"g2p/low/{one}_dev.tsv") for one in LANGUAGES],
    SEEDS,
    (0, "sequence error"),
    -1,
    {
        BASE: {},
        "attention not guided": {"training.guided_alignment": 0.0},
        "one encoder layer": {"model.encoder_layers": 1},
        "no agreement between two passes": {"training.agreement": 0.0},
        "no label smoothing": {"training.label_smoothing": 0.0},
        "no averaging of weights": {"training.ema": 0.0},
        "dropout 0.2": {"model.dropout": 0.2},
        "a constant learning rate": {"training.schedule": "constant"},
        "half the updates": {"training.epochs": 30},
        "batches of 64": {"training.batch_pairs": 64},
        "variational dropout": {"model.variational": True},
        "word dropout 0.05": {"model.word_dropout": 0.05},
        "additive score": {"model.attention.score": "additive"},
        "input feeding": {"model.input_feeding": True},
        "bahdanau's wiring, additive": {
            "model.wiring": "bahdanau",
            "model.attention.score": "additive",
        },
    },
)

# A smaller model than the recipe's, which shows the same and is trained in half the time.
SMALL = {
    "text.source.size": 6000,
    "text.target.size": 6000,
    "model.hidden": 512,
    "training.agreement": 1.0,
    "training.epochs": 20,
}


def _subwords(size: int) -> Settings:
    return {"text.source.size": size, "text.target.size": size}


TRANSLATION = Study(
    "multi30k.toml",
    [("multi30k/train.{en,de}", "multi30k/val.{en,de}")],
    (1,),
    (2, "BLEU"),
    1,
    {
        BASE: {},
        "3,000 subwords": _subwords(3000),
        "10,000 subwords": _subwords(10000),
        "encoder of 1,024 units": {"model.memory": 1024},
        "encoder and decoder of 768": {"model.hidden": 768},
        "two encoder layers": {"model.encoder_layers": 2},
        "no agreement between two passes": {"training.agreement": 0.0},
        "agreement 3": {"training.agreement": 3.0},
        "dropout 0.5": {"model.dropout": 0.5},
        "variational dropout": {"model.variational": True},
        "word dropout 0.2": {"model.word_dropout": 0.2},
        "label smoothing 0.2": {"training.label_smoothing": 0.2},
        "learning rate 0.001": {"training.learning_rate": 1e-3},
        "subword sampling 0.1": {"text.sampling": 0.1},
    },
)
STUDIES = {
    "pronunciation": (PRONUNCIATION, {}),
    "translation": (TRANSLATION, SMALL),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--work", type=Path, default=Path("runs/ablation"))
    parser.add_argument("--only", default="", help="train only rows whose names hold this")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    study, common = STUDIES[options.study]
    every = {"training.threads": 1, "training.device": options.device, **common}
    found: dict[str, list[float]] = {}
    for row, settings in study.rows.items():
        runs = [
            Run(
                f"{options.study}/{row.replace(' ', '-')}/{number}-{seed}",
                study.recipe,
                str(options.data / train),
                str(options.data / valid),
                {**every, "training.seed": seed, **settings},
            )
            for seed in study.seeds
            for number, (train, valid) in enumerate(study.corpora)
        ]
        if options.only not in row and not all(
            (options.work / run.name / "result.json").is_file() for run in runs
        ):
            continue
        done = run_all(runs, options.work, options.parallel)
        if len(done) == len(runs):
            values = [done[run.name]["scores"][study.score[0]]["value"] for run in runs]
            step = len(study.corpora)
            found[row] = [mean(values[i : i + step]) for i in range(0, len(values), step)]
    print(table(study, found))


def table(study: Study, found: Mapping[str, list[float]]) -> str:
    """Scores, and gains over the first row, with their spread over the seeds if there are some."""
    lines = [f"| | {study.score[1]} | gain |", "|---|---:|---:|"]
    for row, by_seed in found.items():
        base = found.get(BASE, by_seed)
        gains = [study.better * (a - b) for a, b in zip(by_seed, base, strict=True)]
        told = f"{mean(gains):+.1f}"
        if len(gains) > 1:
            told += f" ± {stdev(gains):.1f}"
        lines.append(f"| {row} | {mean(by_seed):.1f} | {'' if row == BASE else told} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
