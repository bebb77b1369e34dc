"""``seq2see translate``: files, standard input, or what is typed, line by line."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import tyro

from seq2see.alignment import format_links
from seq2see.cli.options import Runtime, parse, split_models
from seq2see.data.readers import Errors, read_lines
from seq2see.errors import ModelError
from seq2see.search import SearchConfig

if TYPE_CHECKING:
    from seq2see.translation import Translation

TOGETHER = 2_048
"""Lines of a pipe translated together, at most."""
PAUSE = 0.1
"""Seconds that output may wait to be let out together."""


@dataclass(frozen=True)
class Translate:
    """Translates lines of text, in their order; an empty line stays empty.

    Reads standard input if no file is named, and prompts on a terminal.
    """

    inputs: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="MODEL... [FILE...]")
    ]
    """A model folder (several are an ensemble), then files; - is standard input."""
    format: Literal["text", "jsonl"] = "text"
    """text, or a JSON object a line with scores and tokens."""
    attention: Path | None = None
    """Also write tokens and attention weights here, a JSON object a line."""
    alignment: Path | None = None
    """Also write word links here, a Pharaoh line (0-0 1-2) a line."""
    errors: Literal["strict", "replace"] = "strict"
    """What to do with invalid UTF-8: stop, or put U+FFFD in its place."""
    search: Annotated[SearchConfig, tyro.conf.arg(name="")] = field(default_factory=SearchConfig)
    runtime: Annotated[Runtime, tyro.conf.arg(name="")] = field(default_factory=Runtime)


def main(arguments: Sequence[str]) -> None:
    """Runs the command."""
    given = parse(Translate, "translate", arguments)
    models, files = split_models(given.inputs, "translate")
    model = given.runtime.load(models)
    with ExitStack() as stack:
        writer = Writer(given, stack)
        for file in files or ("-",):
            before = writer.count
            for lines in _parts(file, given.errors):
                first = writer.count - before + 1
                try:
                    for translation in model.stream(lines, given.search, first):
                        writer.write(translation)
                except ModelError as error:
                    raise ModelError(
                        f"{file if file != '-' else 'standard input'}: {error}"
                    ) from None
                finally:
                    writer.flush()
        writer.close()


class Writer:
    """Writes translations as they come, and says on a terminal how far it is.

    Args:
        given: The command's options.
        stack: Closes the files.
    """

    def __init__(self, given: Translate, stack: ExitStack) -> None:
        def create(path: Path | None) -> TextIO | None:
            if path is None:
                return None
            return stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))

        self.given = given
        self.attention, self.alignment = create(given.attention), create(given.alignment)
        self.count, self.started = 0, time.monotonic()
        self.flushed = self.started
        self.progress = sys.stderr.isatty() and not sys.stdout.isatty()

    def write(self, translation: Translation) -> None:
        """Writes one translation with its alternatives."""
        self.count += 1
        if self.given.format == "jsonl":
            print(translation.to_json(attention=False))
        elif self.given.search.n_best > 1:
            for one in (translation, *translation.alternatives):
                print(f"{self.count}\t{one.score:.4f}\t{one_line(one.text)}")
        else:
            print(one_line(translation.text))
        if self.attention:
            print(translation.to_json(), file=self.attention)
        if self.alignment:
            print(format_links(translation.alignment()), file=self.alignment)
        if time.monotonic() - self.flushed > PAUSE:
            self.flush()

    def flush(self) -> None:
        """Lets out what is done."""
        sys.stdout.flush()
        self.flushed = time.monotonic()
        if self.progress:
            speed = self.count / (self.flushed - self.started)
            told = f"{self.count:,} lines, {speed:,.0f} a second"
            print(f"\r{told}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends the line of progress."""
        if self.progress:
            print(file=sys.stderr)


def one_line(text: str) -> str:
    """The text with spaces for line breaks, which a model that spells in bytes may write.

    Line n of the output is the translation of line n of the input, whatever it says.
    """
    return " ".join(text.splitlines())


def _parts(file: str, errors: Errors) -> Iterator[Iterable[str]]:
    """Lines to translate together: all of a file, from a pipe those that have come."""
    if file != "-" or _is_file(sys.stdin):
        yield read_lines(file, errors)
    elif sys.stdin.isatty():
        yield from _typed()
    else:
        yield from _arrived(read_lines(file, errors))


def _is_file(stream: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # a stand-in for a stream has no number
        return False


def _typed() -> Iterator[list[str]]:
    """Line by line, with the keys of a line editor."""
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - input() uses it once it is there
    prompt = "> " if sys.stdout.isatty() else ""
    while True:
        try:
            yield [input(prompt)]
        except EOFError:
            if prompt:
                print()
            return


def _arrived(lines: Iterator[str]) -> Iterator[list[str]]:
    """What has come so far: one line from a slow writer, many from a fast one."""
    queue: Queue[str | BaseException | None] = Queue(maxsize=TOGETHER)

    def read() -> None:
        try:
            for line in lines:
                queue.put(line)
            queue.put(None)
        except BaseException as error:
            queue.put(error)

    threading.Thread(target=read, daemon=True).start()
    last: str | BaseException | None = ""
    while isinstance(last, str):
        chunk = []
        last = queue.get()
        while isinstance(last, str):
            chunk.append(last)
            if queue.empty() or len(chunk) == TOGETHER:
                break
            last = queue.get()
        if chunk:
            yield chunk
    if last is not None:
        raise last
