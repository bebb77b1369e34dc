"""Sequence pairs, lines and word links from text files.

Only a line feed ends a line (a carriage return before it goes with it): the other characters
that Unicode calls line ends are text. A byte order mark at the start of a file is dropped.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from seq2see.data.corpus import Corpus, Link, Links
from seq2see.errors import DataError

Errors = Literal["strict", "replace"]

_BRACES = re.compile(r"(.*)\{([^{},]+),([^{},]+)\}(.*)")
_LINK = re.compile(r"([0-9]+)([-p])([0-9]+)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Sides(NamedTuple):
    sources: list[str]
    targets: list[str]


def read_pairs(spec: str, errors: Errors = "strict") -> Corpus:
    """Reads sequence pairs.

    Pairs with an empty side are left out, and counted in ``Corpus.dropped``.

    Args:
        spec: ``file.tsv`` (source TAB target; more columns are ignored), ``prefix.{en,de}``
            (the aligned files ``prefix.en`` and ``prefix.de``), or a built-in corpus such as
            ``phrases:en-es/valid``.
        errors: What to do with bytes that are not UTF-8: stop (strict), or read each as the
            replacement character U+FFFD (replace).

    Raises:
        DataError: The files are missing, or they do not hold sequence pairs.
    """
    from seq2see.data.corpora import built_in, is_built_in

    if is_built_in(spec):
        return built_in(spec)
    sides = _parallel(spec, errors) if "{" in spec else _table(Path(spec), errors)
    full = [bool(s.strip() and t.strip()) for s, t in zip(*sides, strict=True)]
    if not full:
        raise DataError(f"{spec} is empty. Write one sequence pair a line.")
    if not any(full):
        raise DataError(
            f"{spec} has no pair of texts: in each of its {len(full)} lines a side is empty."
        )
    return Corpus(
        name=spec,
        sources=[source for source, keep in zip(sides.sources, full, strict=True) if keep],
        targets=[target for target, keep in zip(sides.targets, full, strict=True) if keep],
        dropped=full.count(False),
    )


def read_lines(path: str | Path | BinaryIO, errors: Errors = "strict") -> Iterator[str]:
    """Reads lines one by one, as they come.

    Args:
        path: A file, ``-`` for the standard input, or an open binary stream.
        errors: As for ``read_pairs``.

    Yields:
        Each line without its end.

    Raises:
        DataError: The file is missing, or a line is not UTF-8.
    """
    if isinstance(path, (str, Path)) and str(path) != "-":
        path = Path(path)
        try:
            with path.open("rb") as stream:
                yield from _decoded(stream, str(path), errors)
        except OSError as error:
            raise DataError(_unreadable(path, error)) from error
    elif isinstance(path, (str, Path)):
        yield from _decoded(sys.stdin.buffer, "standard input", errors)
    else:
        yield from _decoded(path, str(getattr(path, "name", "the stream")), errors)


def read_links(path: str | Path, n: int) -> list[Links]:
    """Reads gold word links in Pharaoh format: ``0-0 1-2 3p4``, one line a pair.

    Args:
        path: The file.
        n: How many pairs it is for.

    Returns:
        The links of each pair; ``3-4`` is sure, ``3p4`` possible.

    Raises:
        DataError: The file is missing, holds other things, or has not ``n`` lines.
    """
    links = [
        tuple(_link(item, path, number) for item in line.split())
        for number, line in enumerate(read_lines(path), start=1)
    ]
    if len(links) != n:
        raise DataError(
            f"{path} has {len(links)} lines of word links, but there are {n} pairs. "
            "Write one line a pair, empty where there are no links, and leave out the lines "
            "of pairs that have an empty side."
        )
    return links


def _parallel(spec: str, errors: Errors) -> _Sides:
    match = _BRACES.fullmatch(spec)
    if not match:
        raise DataError(
            f"'{spec}' does not name two files. Write prefix.{{en,de}} for prefix.en (source) "
            "and prefix.de (target)."
        )
    before, source, target, after = match.groups()
    files = [f"{before}{side}{after}" for side in (source, target)]
    sides = _Sides(*(list(read_lines(file, errors)) for file in files))
    if len(sides.sources) != len(sides.targets):
        raise DataError(
            f"{files[0]} has {len(sides.sources)} lines, but {files[1]} has "
            f"{len(sides.targets)}. Line i of one must be the partner of line i of the other."
        )
    return sides


def _table(path: Path, errors: Errors) -> _Sides:
    sides = _Sides([], [])
    for number, line in enumerate(read_lines(path, errors), start=1):
        source, tab, rest = line.partition("\t")
        if not tab and line.strip():
            raise DataError(
                f"{path}, line {number}: there is no TAB between source and target. "
                "Put one there; two aligned files are given as 'prefix.{en,de}'."
            )
        sides.sources.append(source)
        sides.targets.append(rest.partition("\t")[0])
    return sides


def _decoded(lines: Iterable[bytes], name: str, errors: Errors) -> Iterator[str]:
    start = 0  # of the line, in bytes from the start of the file
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        try:
            decoded = text.decode("utf-8", errors)
        except UnicodeDecodeError as error:
            at = start + len(line) - len(text) + error.start
            raise DataError(
                f"{name}, line {number}: byte {at} of the file (0x{text[error.start]:02x}) is not "
                "UTF-8. Save the file as UTF-8, or read such bytes as '\ufffd' with "
                "--errors replace (in training: --data.errors replace)."
            ) from error
        start += len(line)
        yield decoded.removesuffix("\n").removesuffix("\r")


def _link(item: str, path: str | Path, number: int) -> Link:
    match = _LINK.fullmatch(item)
    if not match:
        raise DataError(
            f"{path}, line {number}: '{item}' is not a word link. "
            "Write source-target ('3-4', counted from 0), or '3p4' for a possible link."
        )
    return Link(int(match[1]), int(match[3]), match[2] == "-")


def _unreadable(path: Path, error: OSError) -> str:
    if not isinstance(error, FileNotFoundError):
        return f"{path} cannot be read: {error.strerror}."
    if re.match(r"\w{2,}:", str(path)):  # not a drive of Windows
        return f"{path} is neither a built-in corpus nor a file. Try 'seq2see corpora'."
    if not path.parent.is_dir():
        return f"{path} does not exist, nor does the folder {path.parent}."
    there = [file.name for file in path.parent.iterdir()]
    close = difflib.get_close_matches(path.name, there, n=1)
    hint = f" Did you mean '{path.parent / close[0]}'?" if close else ""
    return f"{path} does not exist.{hint}"
