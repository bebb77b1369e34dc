"""Trains every recipe on its data, measures it on the dev pairs, and writes the table of results.

    python bench/recipes.py --data DIR [--work runs/recipes] [--only g2p-medium] [--seeds 5]

DIR holds ``multi30k/{train,val}.{en,de,fr}`` and ``g2p/{low,medium,high}/LANG_{train,dev}.tsv``.
Two runs at a time have a core each. What was trained before is not trained again, so the command
may be stopped and begun again; the table in recipes/README.md holds what is there so far.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runs import Run, run_all

from seq2see.data.readers import read_pairs
from seq2see.evaluate import evaluate
from seq2see.files import write_text
from seq2see.translator import Translator

PAGE = Path(__file__).resolve().parent.parent / "recipes" / "README.md"
MARK = "<!-- results -->"
MEDIUM = ["arm_e", "bul", "dut", "fre", "geo", "hbs_latn", "hun", "jpn_hira", "kor", "vie_hanoi"]
LOW = ["ady", "gre", "ice", "ita", "khm", "lav", "mlt_latn", "rum", "slv", "wel_sw"]


@dataclass(frozen=True)
class Task:
    """A data set with its recipe.

    Attributes:
        recipe: File in recipes/.
        parts: Corpora whose scores are averaged (languages).
        train: Pattern of the training pairs' place below the data folder.
        valid: The same for the dev pairs.
        seeds: Runs with different seeds that are worth having.
    """

    recipe: str
    parts: Sequence[str]
    train: str
    valid: str
    seeds: int = 1

    def runs(self, name: str, data: Path, seeds: int) -> list[Run]:
        """All runs, seed after seed."""
        return [
            Run(
                f"{name}/{part}-{seed}",
                self.recipe,
                str(data / self.train.format(part)),
                str(data / self.valid.format(part)),
                {"training.seed": seed, "training.threads": 1},
            )
            for seed in range(1, min(seeds, self.seeds) + 1)
            for part in self.parts
        ]


def _multi30k(source: str, target: str) -> Task:
    pair = f"{{{{{source},{target}}}}}"
    return Task("multi30k.toml", ["all"], f"multi30k/train.{pair}", f"multi30k/val.{pair}")


def _g2p(tier: str, languages: Sequence[str], recipe: str = "g2p.toml") -> Task:
    return Task(recipe, languages, f"g2p/{tier}/{{}}_train.tsv", f"g2p/{tier}/{{}}_dev.tsv", 5)


TASKS = {
    "multi30k-en-de": _multi30k("en", "de"),
    "multi30k-de-en": _multi30k("de", "en"),
    "multi30k-en-fr": _multi30k("en", "fr"),
    "g2p-medium": _g2p("medium", MEDIUM),
    "g2p-low": _g2p("low", LOW),
    "g2p-high": _g2p("high", ["eng_us"]),
}


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    task: str
    models: str
    scores: str
    minutes: float
    parameters: int
    signature: str

    def markdown(self) -> str:
        return (
            f"| {self.task} | {self.models} | {self.scores} | {self.minutes:.1f} | "
            f"{self.parameters / 1e6:.1f} M | {self.signature} |"
        )


def rows(name: str, task: Task, done: dict[str, dict], data: Path, work: Path) -> list[Row]:
    """One model alone (the mean over its seeds), and all seeds together."""
    by_seed = {
        seed: [done.get(f"{name}/{part}-{seed}") for part in task.parts]
        for seed in range(1, task.seeds + 1)
    }
    whole = {seed: found for seed, found in by_seed.items() if all(found)}
    if not whole:
        return []
    results = [result for found in whole.values() for result in found if result]
    first = results[0]["scores"]
    means = [
        sum(r["scores"][i]["value"] for r in results) / len(results) for i in range(len(first))
    ]
    minutes = sum(r["seconds"] for r in results) / len(results) / 60
    size = max(r["parameters"] for r in results)
    told = ", ".join(f"{s['name']} {mean:.2f}" for s, mean in zip(first, means, strict=True))
    signatures = dict.fromkeys(s["signature"] for s in first)
    signature = "; ".join(signatures).replace("|", " ")  # a bar would end the table's cell
    seeds = f"one, seed {min(whole)}" if len(whole) == 1 else f"one, mean of {len(whole)} seeds"
    lines = [Row(name, seeds, told, minutes, size, signature)]
    if len(whole) > 1:
        values = [_ensemble(name, part, list(whole), task, data, work) for part in task.parts]
        told = f"{first[0]['name']} {sum(values) / len(values):.2f}"
        models = f"{len(whole)} together"
        lines.append(Row(name, models, told, minutes * len(whole), size * len(whole), signature))
    return lines


def _ensemble(name: str, part: str, seeds: list[int], task: Task, data: Path, work: Path) -> float:
    """The first score of the mean of several seeds' predictions; kept beside the runs."""
    kept = work / name / f"{part}-{'+'.join(map(str, seeds))}.json"
    if not kept.is_file():
        model = Translator.load(*(work / name / f"{part}-{seed}" for seed in seeds))
        pairs = read_pairs(str(data / task.valid.format(part)))
        outputs = [t.text for t in model.translate(list(pairs.sources))]
        sentences = model.target.kind in ("subwords", "words")
        score = evaluate(outputs, pairs.targets, ["bleu" if sentences else "sequence_error"])[0]
        kept.write_text(json.dumps(score.value), encoding="utf-8")
    return float(json.loads(kept.read_text(encoding="utf-8")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("runs/recipes"))
    parser.add_argument("--only", default="", help="tasks whose names hold this")
    parser.add_argument("--seeds", type=int, default=5, help="at most this many runs a corpus")
    parser.add_argument("--parallel", type=int, default=2)
    options = parser.parse_args()
    lines = [
        "| task | models | dev | minutes | parameters | signature |",
        "|---|---|---|---:|---:|---|",
    ]
    for name, task in TASKS.items():
        wanted = task.runs(name, options.data, options.seeds)
        if options.only in name:
            run_all(wanted, options.work, options.parallel)
        done = {
            run.name: json.loads(path.read_text(encoding="utf-8"))
            for run in wanted
            if (path := options.work / run.name / "result.json").is_file()
        }
        lines += [row.markdown() for row in rows(name, task, done, options.data, options.work)]
    table = "\n".join(lines)
    print(table)
    before, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    write_text(PAGE, f"{before}{mark}\n\n{table}\n")


if __name__ == "__main__":
    main()
