"""Sentences per second and the wait for one sentence, of an exported model, beside CTranslate2.

    python bench/peers/ctranslate2.py setup
    python bench/runtime.py --data DIR

DATA holds train.en and train.de, for the joint BPE model, and val.en, which is decoded. The model
is the Multi30k recipe's (Luong's wiring and general score, BiLSTM 2 x 256 to LSTM 512, 8,000
subwords, 5.2 million weights). Its weights are random and every output is cut to 16 tokens, as
the peer's are, so the figures are of speed alone. Its shortlist is learned from the training
pairs' co-occurrences, as a random model's attention says nothing.

Wall clock, one worker a core for throughput. Also measured: whether several threads would shorten
the wait for one sentence, and speed and memory as a stream grows. All figures go into
bench/results/runtime.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "runtime.json"
LENGTH, SINGLES, SIZE = 16, 100, 8000
STREAMS = (1_000, 10_000, 50_000)
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
WAYS = {
    "float": {"precision": "float"},
    "int8": {"precision": "int8"},
    "int8 shortlist": {"precision": "int8", "shortlist": True},
}

ONE = """
import resource, subprocess, sys, time
start = time.perf_counter()
sentence = b"A dog runs over the green grass.\\n"
subprocess.run(sys.argv[1:], check=True, input=sentence, stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

STREAM = """
import itertools, sys, time
from pathlib import Path
from seq2see.engine.onnx_engine import OnnxEngine
from seq2see.search import SearchConfig, search_stream
from seq2see.text.tokenizer import load_tokenizer
folder, data, count, workers = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
text = load_tokenizer(folder, "source")
engine = OnnxEngine(folder, precision="int8", shortlist=True)
some = data.read_text(encoding="utf-8").splitlines()
sources = ([*text.encode(line), 3] for line in itertools.islice(itertools.cycle(some), count))
config = SearchConfig(beam=1, max_ratio=0, max_extra=16)
start = time.perf_counter()
for found in search_stream([engine] * workers, sources, config):
    text.decode(found[0].tokens)
seconds = time.perf_counter() - start
status = Path("/proc/self/status")
memory = status.read_text().split("VmHWM:")[1].split()[0] if status.exists() else "nan"
print(count / seconds, memory)
"""


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def build(data: Path, folder: Path) -> None:
    """Writes the tokenizer and the exported random model, unless they are there."""
    if (folder / "export.json").exists():
        return
    import torch

    from seq2see.config import AttentionConfig, Config, ModelConfig
    from seq2see.export import export_model
    from seq2see.folder import ModelFolder
    from seq2see.model.seq2seq import Seq2Seq
    from seq2see.text.tokenizer import learn_tokenizer
    from seq2see.text.vocabulary import EOS

    pairs = [lines(data / f"train.{side}") for side in ("en", "de")]
    tokenizer = learn_tokenizer(
        itertools.chain(*pairs), kind="subwords", size=SIZE, model_type="bpe"
    )
    torch.manual_seed(1)
    config = ModelConfig(
        input_feeding=False,
        attention=AttentionConfig(score="general"),
        embedding=256,
        hidden=512,
        memory=512,
        bridge="last",
        tie="all",
        dropout=0.0,
    )
    ModelFolder(folder, Config(model=config), tokenizer, tokenizer).write()
    model = Seq2Seq(config, tokenizer.size, tokenizer.size)
    with torch.no_grad():
        model.b_output[EOS] = -1e4  # every output is cut to one length
    source, target = ([tokenizer.encode(line) for line in side[:10_000]] for side in pairs)
    export_model(model, folder, shortlist=associated(source, target, tokenizer.size))


def associated(source: list[list[int]], target: list[list[int]], size: int, words: int = 15):
    """The words most associated with each source token, by Dice's coefficient."""
    from seq2see.engine.shortlist import Shortlist

    pairs = [
        (np.unique(s)[:, None] * size + np.unique(t)).ravel()
        for s, t in zip(source, target, strict=True)
    ]
    key, together = np.unique(np.concatenate(pairs), return_counts=True)
    ours, theirs = (
        np.bincount(np.concatenate([np.unique(x) for x in side]), minlength=size)
        for side in (source, target)
    )
    token, word = key // size, key % size
    order = np.lexsort((-2 * together / (ours[token] + theirs[word]), token))
    token, word = token[order], word[order]
    rank = np.arange(len(token)) - np.searchsorted(token, token)
    table = np.zeros((size, words), np.int32)
    table[token[rank < words], rank[rank < words]] = word[rank < words]
    return Shortlist(table, np.argsort(-theirs)[:200].astype(np.int32), size)


def throughput(engine, sources: list[list[int]], beam: int) -> float:
    """Sentences per second: the median of three passes after one that warms up."""
    from seq2see.search import SearchConfig, search_stream

    config = SearchConfig(beam=beam, max_ratio=0, max_extra=LENGTH)

    def seconds(some: list[list[int]]) -> float:
        start = time.perf_counter()
        found = list(search_stream([engine] * CORES, some, config))
        assert {len(hypotheses[0].tokens) for hypotheses in found} == {LENGTH}
        return time.perf_counter() - start

    seconds(sources[:128])
    return round(len(sources) / statistics.median(seconds(sources) for _ in "123"), 1)


def wait(engine, sources: list[list[int]], beam: int) -> dict[str, float]:
    """Milliseconds for one sentence at a time."""
    from seq2see.search import SearchConfig, search

    config = SearchConfig(beam=beam, max_ratio=0, max_extra=LENGTH)
    waits = []
    for source in sources[: SINGLES + 1]:
        start = time.perf_counter()
        search(engine, [source], config)
        waits.append(1e3 * (time.perf_counter() - start))
    cuts = statistics.quantiles(waits[1:], n=100, method="inclusive")
    return {"p50": round(cuts[49], 2), "p99": round(cuts[98], 2)}


def cold(folder: Path, options: dict[str, object]) -> dict[str, float]:
    """The command a person types, for one sentence: the fastest of five, and its memory."""
    command = [sys.executable, "-m", "seq2see", "translate", str(folder), "--engine", "onnx"]
    command += ["--precision", {"float": "float32"}.get(str(options["precision"]), "int8")]
    command += ["--shortlist"] * ("shortlist" in options) + [
        "--max-ratio",
        "0",
        "--max-extra",
        "16",
    ]
    program = [sys.executable, "-c", ONE, *command]
    told = [subprocess.run(program, check=True, capture_output=True, text=True) for _ in "12345"]
    seconds, memory = zip(*(map(float, one.stdout.split()) for one in told), strict=True)
    return {"seconds": round(min(seconds), 3), "rss_mb": round(max(memory) / 1024, 1)}


def steady(folder: Path, data: Path) -> dict[str, dict[str, float]]:
    """Streams of growing length, each in a new process: sentences per second, and memory."""
    told = {}
    for count in STREAMS:
        program = [sys.executable, "-c", STREAM, str(folder), str(data), str(count), str(CORES)]
        done = subprocess.run(program, check=True, capture_output=True, text=True).stdout.split()
        speed, memory = map(float, done)
        told[str(count)] = {"sentences_per_s": round(speed, 1), "rss_mb": round(memory / 1024, 1)}
    return told


def measure(folder: Path, data: Path, sources: list[list[int]]) -> dict[str, object]:
    from seq2see.engine.onnx_engine import OnnxEngine

    speed, waits, starts = {}, {}, {}
    for way, options in WAYS.items():
        engine = OnnxEngine(folder, **options)
        for beam in (1, 5):
            speed[f"{way} beam {beam}"] = throughput(engine, sources, beam)
            waits[f"{way} beam {beam}"] = wait(engine, sources, beam)
            shared = OnnxEngine(folder, threads=CORES, **options)
            waits[f"{way} beam {beam}, all threads"] = wait(shared, sources, beam)
        starts[way] = cold(folder, options)
    return {
        "sentences_per_s": speed,
        "one_sentence_ms": waits,
        "cold_start": starts,
        "stream": steady(folder, data),
    }


def table(ours: dict, peer: dict | None) -> str:
    """Ours, then the peer's best of both precisions, and how many times ours is better."""
    rows = [("", "ours", "CTranslate2", "times")]
    for way, beam in itertools.product(WAYS, (5, 1)):
        kind = way.split()[0].replace("float", "fp32")
        name, theirs = f"{way} beam {beam}", f"{kind} beam {beam}"
        mine = ours["sentences_per_s"][name]
        other = peer and peer["sentences_per_s"][theirs]
        times = f"{mine / other:.2f}" if other else "-"
        rows.append(
            (f"sentences/s, {name}", f"{mine:,.0f}", f"{other:,.0f}" if other else "-", times)
        )
    for way, beam in itertools.product(WAYS, (5, 1)):
        name = f"{way} beam {beam}"
        mine = ours["one_sentence_ms"][name]
        other = peer and min(
            (peer["one_sentence_ms"][f"{kind} beam {beam}"] for kind in ("fp32", "int8")),
            key=lambda told: told["p50"],
        )
        rows.append(
            (
                f"one sentence, ms p50/p99, {name}",
                f"{mine['p50']} / {mine['p99']}",
                f"{other['p50']} / {other['p99']}" if other else "-",
                f"{other['p50'] / mine['p50']:.2f}" if other else "-",
            )
        )
    for way, beam in itertools.product(WAYS, (5, 1)):
        told = ours["one_sentence_ms"][f"{way} beam {beam}, all threads"]
        mine = f"{told['p50']} / {told['p99']}"
        rows.append((f"the same on {CORES} threads, {way} beam {beam}", mine, "-", "-"))
    for way, told in ours["cold_start"].items():
        rows.append((f"cold start, {way}", f"{told['seconds']} s, {told['rss_mb']} MB", "-", "-"))
    for count, told in ours["stream"].items():
        mine = f"{told['sentences_per_s']:,.0f}/s, {told['rss_mb']} MB"
        rows.append((f"stream of {int(count):,}, int8 shortlist beam 1", mine, "-", "-"))
    return "\n".join(f"{a:<48}{b:>16}{c:>16}{d:>8}" for a, b, c, d in rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--work", type=Path, default=HERE / "work" / "runtime", metavar="DIR")
    parser.add_argument("--sentences", type=int, default=1000, help="the first of val.en")
    parser.add_argument(
        "--peer",
        action=argparse.BooleanOptionalAction,
        default=(HERE / "peers" / ".venv-ctranslate2").is_dir(),
        help="measure CTranslate2 as well, in the environment that its setup makes",
    )
    options = parser.parse_args()
    folder = options.work / "model"
    build(options.data, folder)

    from seq2see.text.tokenizer import load_tokenizer
    from seq2see.text.vocabulary import EOS

    text = load_tokenizer(folder, "source")
    sources = [[*text.encode(s), EOS] for s in lines(options.data / "val.en")[: options.sentences]]
    told: dict[str, object] = {
        "cores": CORES,
        "ours": measure(folder, options.data / "val.en", sources),
        "peer": None,
    }
    if options.peer:
        program = [sys.executable, str(HERE / "peers" / "ctranslate2.py"), "decode"]
        told["peer"] = json.loads(
            subprocess.run(
                [*program, "--data", str(options.data), "--work", str(options.work / "peer")],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.splitlines()[-1]
        )
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(table(told["ours"], told["peer"]))


if __name__ == "__main__":
    main()
