"""Training runs of recipes, side by side in processes of their own, each measured on its dev pairs.

What is done already is not done again: a run's folder holds its ``result.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

RECIPES = Path(__file__).resolve().parent.parent / "recipes"
SOURCE = Path(__file__).resolve().parent.parent / "src"


@dataclass(frozen=True)
class Run:
    """One training run.

    Attributes:
        name: Folder of the run below the work folder.
        recipe: File in recipes/; empty for the defaults alone.
        train: Training pairs.
        valid: Dev pairs.
        settings: What differs from the recipe, by dotted name.
    """

    name: str
    recipe: str
    train: str
    valid: str
    settings: dict[str, object] = field(default_factory=dict)


def train_and_measure(run: Run, folder: Path) -> None:
    """Trains a run and writes its result."""
    from seq2see.machine import tune_environment

    tune_environment()
    from seq2see.config import Config, load_config, with_settings
    from seq2see.data.readers import read_pairs
    from seq2see.evaluate import evaluate
    from seq2see.training.checkpoint import latest
    from seq2see.training.run import train_once
    from seq2see.translator import Translator

    config = load_config(RECIPES / run.recipe) if run.recipe else Config()
    data = {"data.train": run.train, "data.valid": run.valid}
    config = with_settings(config, {**data, **run.settings})
    train_once(config, folder)
    checkpoint = latest(folder)
    assert checkpoint is not None
    pairs = read_pairs(run.valid)
    model = Translator.load(folder, threads=config.training.threads)
    outputs = [t.text for t in model.translate(list(pairs.sources))]
    sentences = model.target.kind in ("subwords", "words")
    names = ["bleu", "chrf"] if sentences else ["sequence_error", "per"]
    scores = evaluate(outputs, pairs.targets, names)
    if sentences:
        scores += evaluate(outputs, pairs.targets, ["bleu"], lowercase=True)
    result = {
        "run": asdict(run),
        "scores": [asdict(score) for score in scores],
        "seconds": round(checkpoint.position.seconds),
        "updates": checkpoint.position.update,
        "best_update": checkpoint.position.best_update,
        "parameters": sum(p.numel() for p in model.engine.network.parameters()),
        "outputs": outputs,
    }
    text = json.dumps(result, ensure_ascii=False)
    (folder / "result.json").write_text(text, encoding="utf-8")


def run_all(
    runs: Sequence[Run], work: Path, parallel: int = 1, deadline: float | None = None
) -> dict[str, dict]:
    """Trains what is not there yet.

    Args:
        runs: The runs, the most wanted first.
        work: Their folders' parent.
        parallel: Runs at a time.
        deadline: time.time() after which runs are stopped where they are.

    Returns:
        Results by name; runs that did not end are missing.
    """
    waiting = [run for run in runs if not (work / run.name / "result.json").is_file()]
    under_way: dict[subprocess.Popen[bytes], Run] = {}
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}:{os.environ.get('PYTHONPATH', '')}"}
    while waiting or under_way:
        late = deadline is not None and time.time() > deadline
        while waiting and len(under_way) < parallel and not late:
            run = waiting.pop(0)
            (work / run.name).parent.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, __file__, json.dumps(asdict(run)), str(work / run.name)]
            with (work / f"{run.name}.log").open("ab") as log:
                process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
            under_way[process] = run
        for process in [p for p in under_way if p.poll() is not None]:
            run = under_way.pop(process)
            if process.returncode:
                print(f"{run.name} failed: see {work / run.name}.log", file=sys.stderr)
            else:
                print(_line(json.loads((work / run.name / "result.json").read_text())), flush=True)
        if late:
            for process in under_way:
                process.terminate()
            for process in under_way:
                process.wait()
            break
        time.sleep(0.2)
    done = {}
    for run in runs:
        path = work / run.name / "result.json"
        if path.is_file():
            done[run.name] = json.loads(path.read_text(encoding="utf-8"))
    return done


def _line(result: dict) -> str:
    scores = "  ".join(f"{s['name']} {s['value']:.2f}" for s in result["scores"])
    return f"{result['run']['name']:<40} {scores}  {result['seconds']} s"


def main() -> None:
    parser = argparse.ArgumentParser(description="One run, as JSON, into a folder.")
    parser.add_argument("run")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    train_and_measure(Run(**json.loads(options.run)), options.folder)


if __name__ == "__main__":
    main()
