"""``seq2see compare``: several wirings on the same data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import tyro

from seq2see.cli.options import parse
from seq2see.config import Config, load_config
from seq2see.errors import ConfigError
from seq2see.search import SearchConfig


@dataclass(frozen=True)
class Compare:
    """Trains several wirings on the same data and shows, in one table and one picture, how they
    score and how they hold up as sentences grow longer."""  # noqa: D205, D209

    file: Annotated[
        tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[CONFIG.toml]")
    ] = ()
    """A file of settings, as for train."""
    wirings: str = "none,bahdanau,luong"
    """none, bahdanau, luong, luong+feeding, with commas between."""
    out: Path = Path("runs/compare")
    """Folder for the models, and for the result as compare.html and compare.svg."""
    test: str | None = None
    """Pairs to measure on; the corpus's own test pairs, or the validation pairs, if not set."""
    metrics: str | None = None
    """As for evaluate; the first is drawn by length."""
    config: Annotated[Config, tyro.conf.arg(name="")] = field(default_factory=Config)
    search: Annotated[SearchConfig, tyro.conf.arg(name="")] = field(default_factory=SearchConfig)


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    given = parse(Compare, "compare", arguments)
    if given.file:
        base = replace(given, config=load_config(*given.file))
        given = parse(Compare, "compare", arguments, base)
    if not given.config.data.train:
        raise ConfigError("What should they learn from? Add --data.train phrases:en-es.")

    from seq2see.compare import compare
    from seq2see.files import write_text
    from seq2see.see import lengths_svg, render_lengths
    from seq2see.see.wirings import comparison_page, comparison_table

    entries = compare(
        given.config,
        given.out,
        given.wirings.split(","),
        given.test,
        given.search,
        given.metrics.split(",") if given.metrics else None,
    )
    found = entries[0].found
    metric = found.scores[0].name
    curves = [entry.curve for entry in entries]
    print(f"\n{found.corpus.name}: {len(found.outputs):,} pairs\n")
    print(comparison_table(entries))
    print(f"\n{render_lengths(curves, metric)}  (in {found.unit})")
    write_text(given.out / "compare.svg", lengths_svg(curves, metric) + "\n")
    write_text(given.out / "compare.html", comparison_page(entries))
    print(f"\nThe same as a page: {given.out / 'compare.html'}")
