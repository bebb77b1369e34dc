"""Training speed beside the peers', on the same machine, data, batch size and architecture.

    python bench/train.py --data DIR [--g2p TRAIN.tsv,DEV.tsv] [--rounds 3]

DIR holds train.en, train.de, val.en and val.de. Peers run in environments of their own
(bench/peers); ours and theirs take turns, and the ratio of the medians is printed and written to
bench/results/train.json. For each wiring the share of the roofline is printed: the model's own
matrix products, timed bare in the same process and precision, over the time of an update.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "train.json"
WIRINGS = {
    "luong + input feeding / additive": ("luong", True, "additive"),
    "bahdanau / additive": ("bahdanau", False, "additive"),
    "luong / general": ("luong", False, "general"),
}
SENTENCES = 64


def settings(data: Path, wiring: str, feeding: bool, score: str, precision: str) -> dict:
    """JoeyNMT's model of bench/peers/joeynmt.py in our words."""
    side = {"kind": "subwords", "size": 8000}
    return {
        "data": {"train": f"{data}/train.{{en,de}}", "valid": f"{data}/val.{{en,de}}"},
        "text": {"joint": True, "source": side, "target": side},
        "model": {
            "wiring": wiring,
            "input_feeding": feeding,
            "attention": {"score": score},
            "embedding": 256,
            "hidden": 512,
            "memory": 512,
            "tie": "inputs",
            "dropout": 0.3,
            "bridge": "learned",
        },
        "training": {
            "batch_pairs": SENTENCES,
            "updates": 1000,
            "ema": 0.0,
            "schedule": "constant",
            "learning_rate": 1e-3,
            "warmup": 0,
            "precision": precision,
        },
    }


def g2p_settings(train: Path, dev: Path) -> dict:
    """yoyodyne's model of bench/peers/yoyodyne.py in our words."""
    return {
        "data": {"train": str(train), "valid": str(dev)},
        "text": {
            "source": {"kind": "chars", "form": "none"},
            "target": {"kind": "symbols"},
        },
        "model": {
            "wiring": "luong",
            "input_feeding": False,
            "attention": {"score": "additive"},
            "embedding": 128,
            "hidden": 256,
            "memory": 512,
            "dropout": 0.3,
            "tie": "none",
        },
        "training": {"batch_pairs": 64, "epochs": 20, "ema": 0.0, "clip": 3.0, "agreement": 0.0},
    }


def measure_ours(values: dict, updates: int, shuffled: bool) -> dict:
    """Times updates of one model; runs in a process of its own."""
    started = time.perf_counter()
    import numpy as np

    from seq2see.machine import tune_environment

    tune_environment()
    from seq2see.config import Config, from_mapping
    from seq2see.training.prepare import prepare
    from seq2see.training.progress import Progress
    from seq2see.training.trainer import Trainer

    prepared = prepare(from_mapping(Config, values), Path("unused"))
    trainer = Trainer(prepared, Progress())
    corpus = prepared.train_tokens
    size = trainer.config.batch_pairs
    if shuffled:  # the peer's batches: sentences as they come, padded to the longest of 64
        order = np.random.default_rng(1).permutation(prepared.rows)
        plan = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
    else:
        plan = prepared.batches(corpus, 0)
    trainer._update([corpus.batch(plan[0])])
    first_step = time.perf_counter() - started
    for rows in plan[1:10]:
        trainer._update([corpus.batch(rows)])
    plan = plan[10 : 10 + updates]
    begun = time.perf_counter()
    for rows in plan:
        trainer._update([corpus.batch(rows)])
    seconds = time.perf_counter() - begun
    tokens = int(sum(corpus.target.lengths[rows].sum() for rows in plan))
    return {
        "target_tokens_per_s": round(tokens / seconds, 1),
        "seconds_per_epoch": round(seconds * trainer.tokens_per_epoch / tokens, 2),
        "seconds_to_first_step": round(first_step, 2),
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "parameters": sum(p.numel() for p in trainer.network.parameters()),
        "precision": str(trainer.dtype),
        "roofline": round(roofline(trainer, corpus, plan[:20]), 3),
    }


def roofline(trainer: object, corpus: object, plan: list) -> float:
    """Time of the bare products of some updates over the time of those updates."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    shapes: list[tuple] = []
    kinds = {"mm", "bmm", "addmm", "baddbmm"}

    class Record(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function.overloadpacket.__name__ in kinds:
                a, b = args[-2:]
                shapes.append((a.shape, a.stride(), b.shape, b.stride(), a.dtype))
            return function(*args, **(kwargs or {}))

    bare, whole = 0.0, 0.0
    for rows in plan:
        batch = corpus.batch(rows)
        begun = time.perf_counter()
        trainer._update([batch])
        whole += time.perf_counter() - begun
        shapes.clear()
        with Record():
            trainer._update([batch])
        products: list[Callable[[], object]] = []
        for a_shape, a_stride, b_shape, b_stride, dtype in shapes:
            a = torch.empty_strided(a_shape, a_stride, dtype=dtype).fill_(0.01)
            b = torch.empty_strided(b_shape, b_stride, dtype=dtype).fill_(0.01)
            products.append(lambda a=a, b=b: torch.matmul(a, b))
        for product in products[:3]:
            product()
        begun = time.perf_counter()
        for product in products:
            product()
        bare += time.perf_counter() - begun
    return bare / whole


def in_a_process(values: dict, updates: int, shuffled: bool) -> dict:
    """``measure_ours`` in a fresh process, so that memory and start-up are its own."""
    job = json.dumps([values, updates, shuffled])
    command = [sys.executable, __file__, "--job", job]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def peer(*arguments: str) -> dict:
    """One run of a peer's script; its last line is JSON."""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--g2p", help="TRAIN.tsv,DEV.tsv: also time yoyodyne's model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--peer-updates", type=int, default=40)
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--work", type=Path, default=HERE / "work")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(measure_ours(*json.loads(options.job))))
        return
    results: dict = {"cores": len(os.sched_getaffinity(0)), "rounds": options.rounds}
    if RESULTS.is_file():  # what is not measured now stays
        results = {**json.loads(RESULTS.read_text(encoding="utf-8")), **results}
    if options.data:
        results |= beside_joeynmt(options)
    if options.g2p:
        results |= beside_yoyodyne(options)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def beside_joeynmt(options: argparse.Namespace) -> dict:
    """Its model in every wiring, on its batches and on batches of like length."""
    results: dict = {}
    joey = str(HERE / "peers" / "joeynmt.py")
    subprocess.run([sys.executable, joey, "setup"], check=True)
    theirs, ours = [], {(n, s): [] for n in WIRINGS for s in (False, True)}
    for _ in range(options.rounds):
        theirs.append(
            peer(
                *(joey, "train", "--data", str(options.data), "--work", str(options.work)),
                *("--updates", str(options.peer_updates)),
            )
        )
        for (name, shuffled), found in ours.items():
            values = settings(options.data, *WIRINGS[name], options.precision)
            found.append(in_a_process(values, options.updates, shuffled))
    base = median(t["median_window"] for t in theirs)
    results["joeynmt"] = {**theirs[-1], "target_tokens_per_s": base}
    print(f"JoeyNMT 2.3.0: {base:,.0f} target tokens/s, {theirs[-1]['peak_rss_mb']:,} MB")
    for (name, shuffled), found in ours.items():
        speed = median(f["target_tokens_per_s"] for f in found)
        share = median(f["roofline"] for f in found)
        batches = "its batches" if shuffled else "batches of like length"
        results[f"{name}, {batches}"] = {**found[-1], "target_tokens_per_s": speed}
        results[f"{name}, {batches}"]["ratio"] = round(speed / base, 2)
        print(
            f"{name}, {batches}: {speed:,.0f} tokens/s, {speed / base:.1f}x; {share:.0%} of the "
            f"roofline; {found[-1]['peak_rss_mb']:,} MB; first step after "
            f"{found[-1]['seconds_to_first_step']:.1f} s; {found[-1]['precision']}"
        )
    return results


def beside_yoyodyne(options: argparse.Namespace) -> dict:
    """Its pronunciation model."""
    train, dev = options.g2p.split(",")
    yoyo = str(HERE / "peers" / "yoyodyne.py")
    subprocess.run([sys.executable, yoyo, "setup"], check=True)
    theirs, mine = [], []
    for _ in range(options.rounds):
        theirs.append(
            peer(yoyo, "train", "--train", train, "--dev", dev, "--work", str(options.work))
        )
        mine.append(in_a_process(g2p_settings(Path(train), Path(dev)), 115, False))
    results = {"yoyodyne": theirs[-1], "g2p": mine[-1]}
    base = median(t["target_tokens_per_s"] for t in theirs)
    speed = median(m["target_tokens_per_s"] for m in mine)
    results["g2p"]["ratio"] = round(speed / base, 2)
    print(f"yoyodyne 0.5.27: {base:,.0f} target tokens/s in training")
    print(f"ours: {speed:,.0f}, {speed / base:.1f}x; {mine[-1]['seconds_per_epoch']} s an epoch")
    return results


if __name__ == "__main__":
    main()
