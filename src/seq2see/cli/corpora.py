"""``seq2see corpora``: the built-in corpora."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from seq2see.cli.options import parse
from seq2see.errors import ConfigError


@dataclass(frozen=True)
class Corpora:
    """Lists the built-in corpora, or writes one as source TAB target."""

    name: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[NAME]")] = ()
    """A corpus; without it they are listed."""
    split: Literal["train", "valid", "test"] = "train"
    """Which of its splits."""
    out: Path | None = None
    """Where to write it; standard output if not set."""
    links: Path | None = None
    """Also write its gold word links here, a Pharaoh line (0-0 1-2) a pair."""


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    from seq2see.data.corpora import CORPORA, built_in

    given = parse(Corpora, "corpora", arguments)
    if not given.name:
        for name, told in CORPORA.items():
            print(f"{name:<16}{told}")
        print("\nName one as --data.train NAME; NAME/valid and NAME/test are its other splits.")
        return
    if len(given.name) > 1:
        raise ConfigError(f"One corpus at a time, not {len(given.name)}.")
    whole = given.name[0] if "/" in given.name[0] else f"{given.name[0]}/{given.split}"
    corpus = built_in(whole)
    lines = (f"{source}\t{target}\n" for source, target, _ in corpus)
    if given.out:
        from seq2see.files import write_text

        write_text(given.out, "".join(lines))
        print(f"{given.out}: {len(corpus):,} pairs of {whole}", file=sys.stderr)
    else:
        sys.stdout.writelines(lines)
    if given.links:
        from seq2see.alignment import format_links
        from seq2see.files import write_text

        if corpus.links is None:
            raise ConfigError(f"{whole} has no word links.")
        write_text(given.links, "".join(format_links(links) + "\n" for links in corpus.links))
