"""The main job on an embedded default: learn English to Spanish, translate, see the attention."""

from __future__ import annotations

import shutil
import sys
from itertools import islice
from pathlib import Path

from seq2see.assessment import assess
from seq2see.config import Config, with_settings
from seq2see.data.readers import read_pairs
from seq2see.folder import CARD, CONFIG
from seq2see.search import SearchConfig
from seq2see.see import HeatMap, render, save
from seq2see.translator import Translator

DATA = "phrases:en-es"
SETTINGS: dict[str, object] = {"data.train": DATA}
"""What the demo's training differs in from the defaults."""
SHOWN, LONGEST = 8, 14
"""Sentences of the test split that are shown translated, and the words they have at most. "I like
soccer." is the first of them."""
DRAWN = 3
"""How many of them are drawn in the terminal."""


def demo(out: Path, fresh: bool = False) -> None:
    """Learns, translates, measures and draws.

    Args:
        out: The folder of the run.
        fresh: Learn anew though there is a finished run.

    Raises:
        ConfigError: The folder holds something else, or a demo of another version.
    """
    _learn(out, fresh)
    model = Translator.load(out)
    test = read_pairs(f"{DATA}/test")
    short = (text for text in test.sources if len(text.split()) <= LONGEST)
    translations = model.translate(islice(short, SHOWN))
    print("\nSentences it never saw:\n")
    for translation in translations:
        print(f"  {translation.source}\n  → {translation.text}\n")
    for translation in translations[:DRAWN]:
        print(render(HeatMap.of(translation)) + "\n")

    measured = assess(model, test, SearchConfig(), ["exact", "bleu"])
    exact, bleu = measured.scores
    print(f"On {len(test):,} sentences it never saw ({test.name}):")
    print(f"  exact match      {exact.value:.1f} %   BLEU {bleu.value:.1f}")
    if measured.alignment:
        print(
            f"  alignment error  {measured.alignment.score.error_rate:.3f}"
            "   (attention against gold word links; 0 is perfect)"
        )
    picture = out / "attention.html"
    save([HeatMap.of(one) for one in translations], picture)
    print(f"""
The model is in {out}, its card in {out / CARD}, the attention as a page in {picture}.

Go on with:
  seq2see translate {out}                        type sentences, read translations
  seq2see show {out} "{translations[0].source}"           look at the attention of any sentence
  seq2see train --data.train pairs.tsv --out runs/mine    learn from your own pairs""")


def _learn(out: Path, fresh: bool) -> None:
    """Trains the demo's model unless it is there."""
    from seq2see.training.checkpoint import FOLDER
    from seq2see.training.run import train_once

    if fresh and (out / FOLDER).is_dir() and (out / CONFIG).is_file():
        shutil.rmtree(out)
    if not out.exists():
        print(f"Learning {DATA}, which is built in: English to Spanish.\n", file=sys.stderr)
    train_once(with_settings(Config(), SETTINGS), out)
