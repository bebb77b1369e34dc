"""Measure the models of `marian_tiny.py` on the first sentences of a file: WORK OUT.json FILE N"""

import itertools
import json
import os
import statistics
import sys
import time
from pathlib import Path

import ctranslate2
import sentencepiece

BATCH = 64
LENGTH = 16  # every hypothesis
SINGLES = 100


def threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)


def load(model: Path, workers: int, each: int) -> ctranslate2.Translator:
    return ctranslate2.Translator(str(model), inter_threads=workers, intra_threads=each)


def decode(model: ctranslate2.Translator, sources: list[list[str]], beam: int) -> float:
    """Seconds to translate them all."""
    start = time.perf_counter()
    found = model.translate_batch(
        sources,
        beam_size=beam,
        max_batch_size=BATCH,
        min_decoding_length=LENGTH,
        max_decoding_length=LENGTH,
    )
    seconds = time.perf_counter() - start
    assert {len(result.hypotheses[0]) for result in found} <= {LENGTH - 1, LENGTH}
    return seconds


def throughput(model: ctranslate2.Translator, sources: list[list[str]], beam: int) -> float:
    """Sentences per second: the median of three passes after one that warms up."""
    decode(model, sources[: 2 * BATCH], beam)
    return round(len(sources) / statistics.median(decode(model, sources, beam) for _ in "123"), 1)


def latency(model: ctranslate2.Translator, sources: list[list[str]], beam: int) -> dict[str, float]:
    """Milliseconds for one sentence at a time."""
    decode(model, sources[:1], beam)
    waits = [1e3 * decode(model, [source], beam) for source in sources[:SINGLES]]
    cuts = statistics.quantiles(waits, n=100, method="inclusive")
    return {"p50": round(cuts[49], 2), "p99": round(cuts[98], 2)}


def main(work: Path, out: Path, text: Path, count: int) -> None:
    spm = sentencepiece.SentencePieceProcessor(model_file=str(work / "pieces.model"))
    with text.open(encoding="utf-8") as lines:
        sources = [
            [*spm.encode(line.strip(), out_type=str), "</s>"]
            for line in itertools.islice(lines, count)
        ]
    speed, wait, cores = {}, {}, threads()
    for name in ("fp32", "int8"):
        model = load(work / name, cores, 1)  # many sentences: single-threaded workers are its best
        for beam in (1, 5):
            speed[f"{name} beam {beam}"] = throughput(model, sources, beam)
        # One sentence: all cores for fp32; int8 falls apart on more than one.
        model = load(work / name, 1, cores if name == "fp32" else 1)
        for beam in (1, 5):
            wait[f"{name} beam {beam}"] = latency(model, sources, beam)
    told = {"sentences": len(sources), "sentences_per_s": speed, "one_sentence_ms": wait}
    out.write_text(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
