"""Files written so that a crash, a full disk or a second run never costs what was there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from seq2see.errors import Seq2SeeError


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file beside its place and moves it there when it is whole.

    Args:
        path: Where the file belongs; an older one stays until the new one is on disk.
        write: Writes the content to the path it is given.

    Raises:
        Seq2SeeError: The disk is full or the folder cannot be written; the old file is intact.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    part = Path(name)
    try:
        write(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except OSError as error:
        raise Seq2SeeError(
            f"Cannot write {path}: {error.strerror or error}. What was saved before is intact."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8 text atomically."""
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8", newline="\n"))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
