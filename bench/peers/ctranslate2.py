"""CTranslate2 4.8.5: sentences per second of a Transformer-tiny, and the wait for one sentence.

    python bench/peers/ctranslate2.py setup
    python bench/peers/ctranslate2.py decode --data DIR --work DIR

DATA holds train.en and train.de, for the joint BPE model, and val.en, which is decoded. The weights
are random and every output is cut to one length, so the figures are of speed alone.
"""

from __future__ import annotations

import json
from pathlib import Path

from venv import INSIDE, commands, create, measure, program, report  # isort: skip

INSTALL = "torch==2.13.0 ctranslate2==4.8.5 transformers==5.23.0 sentencepiece"


def decode(data: Path, sentences: int, work: Path) -> None:
    build = [program("ctranslate2"), str(INSIDE / "marian_tiny.py"), str(work)]
    measure([*build, str(data / "train.en"), str(data / "train.de")], work / "build.log")
    figures = work / "figures.json"
    speed = [program("ctranslate2"), str(INSIDE / "marian_speed.py"), str(work), str(figures)]
    run = measure([*speed, str(data / "val.en"), str(sentences)], work / "speed.log")
    told = json.loads(figures.read_text())
    report(
        peer="ctranslate2",
        **told,
        seconds=run.seconds,
        peak_rss_mb=run.peak_rss_mb,
        parameters=int((work / "parameters").read_text()),
    )


def main() -> None:
    parser, action = commands(__doc__, "decode")
    action.add_argument("--data", type=Path, required=True, metavar="DIR")
    action.add_argument("--sentences", type=int, default=1000, help="the first of val.en")
    options = parser.parse_args()
    if options.command == "setup":
        create("ctranslate2", INSTALL)
    else:
        decode(options.data.resolve(), options.sentences, options.work)


if __name__ == "__main__":
    main()
