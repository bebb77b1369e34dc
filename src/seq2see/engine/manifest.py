"""What an export holds: the file that says which files belong together, and how to read them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seq2see.errors import ModelError

NAME = "export.json"
FORMAT = 1
"""Goes up whenever an engine of before could not read what is exported now."""


@dataclass(frozen=True)
class Manifest:
    """An export.

    Attributes:
        target_size: Size of the target vocabulary.
        max_source: Longest source the model can read, if there is a limit.
        files: Each file's name and SHA-256.
        format: Version of the layout.
    """

    target_size: int
    max_source: int | None
    files: dict[str, str]
    format: int = FORMAT

    def save(self, folder: Path) -> None:
        """Writes ``export.json``."""
        text = json.dumps(dataclasses.asdict(self), indent=2)
        (folder / NAME).write_text(text + "\n", encoding="utf-8")

    def find(self, folder: Path, name: str) -> Path:
        """Finds a file of the export and checks that it is the one that was written."""
        path = folder / name
        if name not in self.files:
            raise ModelError(
                f"{folder / NAME} lists no '{name}'; it has {', '.join(sorted(self.files))}. "
                "Export the model again with that precision."
            )
        try:
            found = _digest(path)
        except FileNotFoundError:
            raise ModelError(
                f"The file {path} is missing: the export is incomplete. "
                "Copy the whole folder, or export the model again."
            ) from None
        if found != self.files[name]:
            raise ModelError(
                f"The file {path} is damaged, or of another export: its SHA-256 is not the one in "
                f"{NAME}. Copy the whole folder again, or export the model again."
            )
        return path


def load_manifest(folder: Path) -> Manifest:
    """Reads ``export.json``.

    Raises:
        ModelError: It is missing, damaged, or written by a newer version.
    """
    path = folder / NAME
    try:
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        written = int(told["format"])
        if written > FORMAT:
            raise ModelError(
                f"{path} has format {written}, written by a newer seq2see; this one reads up to "
                f"{FORMAT}. Upgrade seq2see, or export the model again with this version."
            )
        return Manifest(**told)
    except FileNotFoundError:
        raise ModelError(
            f"There is no {path}: this model was not exported. Run 'seq2see export {folder}'."
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is damaged ({type(error).__name__}: {error}). Export the model again."
        ) from None


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_files(folder: Path, contents: dict[str, bytes]) -> dict[str, str]:
    """Writes files and returns the SHA-256 of each."""
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
