"""Plain nested values as TOML: read with its place in every message, written for a person."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seq2see.errors import ConfigError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(path: Path) -> dict[str, Any]:
    """Reads a TOML file.

    Raises:
        ConfigError: The file is missing or is not TOML; says where.
    """
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        raise ConfigError(f"There is no file '{path}'.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from None


def write_toml(values: Mapping[str, Any]) -> str:
    """The text of nested plain values as TOML (strings, numbers, booleans and tables)."""
    lines: list[str] = []

    def table(values: Mapping[str, Any], name: str) -> None:
        plain = {k: v for k, v in values.items() if not isinstance(v, Mapping)}
        if name and plain:
            lines.extend(["", f"[{name}]"])
        lines.extend(f"{key} = {_literal(value)}" for key, value in plain.items())
        for key, value in values.items():
            if isinstance(value, Mapping):
                table(value, f"{name}.{key}" if name else key)

    table(values, "")
    return "\n".join(lines).strip() + "\n"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in escaped) + '"'
    return repr(value)
