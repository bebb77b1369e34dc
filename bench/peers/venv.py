"""A peer's own virtual environment, and a measured run inside it.

Peers need versions that quarrel with ours and with each other, so each lives in
`bench/peers/.venv-NAME`, built from PyPI by its script's `setup`.

Run the scripts by path (`python bench/peers/joeynmt.py ...`). They are named after the packages
they drive, so what must import those packages lies apart, in `inside/`, and is run by the peer's
own interpreter. The number of threads is the caller's to set (`OMP_NUM_THREADS`).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
INSIDE = HERE / "inside"
BIN = "Scripts" if os.name == "nt" else "bin"


class Run(NamedTuple):
    seconds: float  # wall clock, the interpreter's start and all imports included
    peak_rss_mb: float | None  # of the largest process in the run; None where none tells (Windows)


def home(name: str) -> Path:
    return HERE / f".venv-{name}"


def program(name: str, command: str = "python") -> str:
    """Path of a program in the environment `name`."""
    found = shutil.which(command, path=str(home(name) / BIN))
    if found is None:
        sys.exit(f"no {command} for {name}: run `python bench/peers/{name}.py setup` first")
    return found


def create(name: str, *installs: str) -> Path:
    """Make the environment `name` with one `pip install` per string; a finished one is kept."""
    root, stamp = home(name), home(name) / "installed.txt"
    wanted = "\n".join(installs) + "\n"
    if stamp.exists() and stamp.read_text() == wanted:
        return root
    # -I: isolated, so that -m finds the standard library's venv and not this file.
    subprocess.run([sys.executable, "-I", "-m", "venv", "--clear", str(root)], check=True)
    for arguments in installs:
        pip = [program(name), "-I", "-m", "pip", "install", "--quiet", *arguments.split()]
        subprocess.run(pip, check=True)
    stamp.write_text(wanted)
    return root


def measure(command: list[str], log: Path, **environment: str) -> Run:
    """Run to the end, output into `log`; exit with its tail if the command fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with log.open("w", encoding="utf-8") as sink:
        process = subprocess.Popen(
            command,
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env={**os.environ, "PYTHONUTF8": "1", **environment},
        )
        if hasattr(os, "wait4"):  # this child's figures alone, whatever ran before it
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, KiB elsewhere
            peak = round(usage.ru_maxrss / unit, 1)
        else:
            process.wait()
            peak = None
    seconds = time.perf_counter() - start
    if process.returncode:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
        sys.exit(f"{tail}\n{command[0]} failed with {process.returncode}; all of it is in {log}")
    return Run(round(seconds, 2), peak)


def commands(doc: str | None, name: str) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """The parser with its `setup` command, and the parser of the command `name` to be filled."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sub = parser.add_subparsers(dest="command", required=True)
    sub.add_parser("setup", help="build the peer's environment")
    action = sub.add_parser(name)
    action.add_argument("--work", type=lambda p: Path(p).resolve(), required=True, metavar="DIR")
    return parser, action


def report(**figures: object) -> None:
    print(json.dumps(figures), flush=True)
