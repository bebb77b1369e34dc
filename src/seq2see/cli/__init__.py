"""The command line: which command is asked for, and what becomes of its errors.

Each command is a module of this package with a ``main(arguments)``; only the one that is asked
for is imported, so that help comes at once and translating with an exported model needs no torch.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from seq2see.errors import Seq2SeeError, nearest
from seq2see.machine import tune_environment

COMMANDS = {
    "demo": "learn a built-in corpus, translate, draw attention: start here",
    "train": "learn a model from sequence pairs",
    "translate": "translate files, standard input, or what is typed",
    "show": "draw what the model looks at",
    "score": "log-probabilities of given targets",
    "evaluate": "measure a model on sequence pairs",
    "compare": "train several wirings on the same data and compare them",
    "export": "write a model as ONNX, to run without torch",
    "doctor": "check the machine, and that padding never shows",
    "corpora": "list the built-in corpora, or write one to a file",
}
USAGE = f"""usage: seq2see COMMAND ...

Learn to turn one sequence into another, and see what the model looked at.

{chr(10).join(f"  {name:<10} {told}" for name, told in COMMANDS.items())}

'seq2see COMMAND --help' tells a command's options. First steps: seq2see demo"""

EXTRAS = {
    "torch": "train",
    "safetensors": "train",
    "sacrebleu": "evaluate",
    "rapidfuzz": "evaluate",
    "rich": "train",
    "onnx": "train",
    "matplotlib": "plot",
}
"""Which extra installs a library that may be missing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: The words after ``seq2see``; those of this process if not given.

    Returns:
        The exit code: 0 if all went well, 1 after an error, 2 for a wrong command line,
        128 + n after signal n.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ("-h", "--help", "help"):
        print(USAGE)
        return 0 if words else 2
    if words[0] in ("-V", "--version"):
        from seq2see import __version__

        print(f"seq2see {__version__}")
        return 0
    if words[0] not in COMMANDS:
        print(f"seq2see: unknown command '{words[0]}'.{nearest(words[0], COMMANDS)}", file=_err())
        return 2
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # whatever the locale: texts are UTF-8
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    warnings.showwarning = _warn
    tune_environment()
    try:
        code: int | None = import_module(f"seq2see.cli.{words[0]}").main(words[1:])
        sys.stdout.flush()
        return code or 0
    except BaseException as error:
        if os.environ.get("SEQ2SEE_DEBUG"):
            raise
        return _explain(error)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    print(f"seq2see: {message}", file=_err())


def _explain(error: BaseException) -> int:
    """Tells a person what went wrong, and returns the exit code."""
    if isinstance(error, SystemExit):  # tyro has said what is wrong, or printed the help
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, KeyboardInterrupt):
        return 128 + signal.SIGINT
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has seen enough; what is still buffered goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + getattr(signal, "SIGPIPE", 13)
    print(f"seq2see: {_message(error)}", file=_err())
    return 128 + error.signal if hasattr(error, "signal") else 1


def _message(error: BaseException) -> str:
    if isinstance(error, Seq2SeeError):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] in EXTRAS:
        name = (error.name or "").split(".")[0]
        return f"this needs {name}, which is not installed: pip install 'seq2see[{EXTRAS[name]}]'"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return (
        f"unexpected {type(error).__name__}: {error}\n"
        "This is a fault of seq2see. SEQ2SEE_DEBUG=1 in the environment shows where it happened."
    )


def _err() -> TextIO:
    sys.stdout.flush()  # so that what was said before stands before
    return sys.stderr
