"""How a run tells a person where it stands: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seq2see.files import write_text
from seq2see.training.checkpoint import Position
from seq2see.training.plan import duration
from seq2see.training.validation import Validation

LOG = "log.jsonl"
SHOWN = 3
"""Validation pairs that take turns as the sample; so few that one sees them get better."""


class Progress:
    """Reports nothing; the base of those that do."""

    @contextmanager
    def running(self, done: int, updates: int) -> Iterator[None]:
        """Surrounds the training loop."""
        yield

    def updated(self, position: Position, loss: float) -> None:
        """After every update."""

    def validated(self, position: Position, result: Validation, improved: bool) -> None:
        """After every validation."""

    def note(self, text: str) -> None:
        """Something a person should know."""


class Report(Progress):
    """Speaks on standard error and keeps ``log.jsonl`` in the run's folder.

    Args:
        run: The run's folder.
        start: The update the run goes on from; later lines of an older log are dropped.
    """

    def __init__(self, run: Path, start: int = 0) -> None:
        from rich.console import Console

        self.console = Console(stderr=True, highlight=False)
        self.log = run / LOG
        self.bar: Any = None
        self.task: Any = None
        self.loss, self.speed = 0.0, 0.0
        self._tokens, self._time, self._said = 0, 0.0, 0.0
        self._begun = time.monotonic()
        kept = []
        if start and self.log.is_file():
            lines = self.log.read_text(encoding="utf-8").splitlines()
            kept = [line for line in lines if json.loads(line)["update"] <= start]
        write_text(self.log, "".join(line + "\n" for line in kept))

    @contextmanager
    def running(self, done: int, updates: int) -> Iterator[None]:
        """Shows the bar while training runs."""
        self.updates = updates
        self._first = done
        if not self.console.is_terminal:
            yield
            return
        from rich import progress as rich

        columns = (
            rich.TextColumn("{task.description}"),
            rich.BarColumn(),
            rich.MofNCompleteColumn(),
            rich.TextColumn("loss {task.fields[loss]:.3f}"),
            rich.TextColumn("{task.fields[speed]:,.0f} tokens/s"),
            rich.TimeRemainingColumn(),
        )
        with rich.Progress(*columns, console=self.console) as self.bar:
            self.task = self.bar.add_task(
                "training", total=updates, completed=done, loss=0.0, speed=0.0
            )
            yield
        self.bar = None

    def updated(self, position: Position, loss: float) -> None:
        """Moves the bar; on no terminal, says a line every half minute."""
        n = position.update - self._first
        keep = min(0.98, (n - 1) / n)
        self.loss = keep * self.loss + (1 - keep) * loss
        spent = position.seconds - self._time
        if spent > 0.5 or not self.speed:
            self.speed = (position.tokens - self._tokens) / max(spent, 1e-9)
            self._tokens, self._time = position.tokens, position.seconds
        if self.bar is not None:
            self.bar.update(self.task, completed=position.update, loss=self.loss, speed=self.speed)
            return
        now = time.monotonic()
        if now - self._said > 30:
            self._said = now
            left = (now - self._begun) / n * (self.updates - position.update)
            self.console.print(
                f"update {position.update:,}/{self.updates:,}  loss {self.loss:.3f}  "
                f"{self.speed:,.0f} tokens/s  {duration(left)} left"
            )

    def validated(self, position: Position, result: Validation, improved: bool) -> None:
        """Says the scores and a sample, and appends them to the log."""
        entry = {
            "update": position.update,
            "epoch": position.epoch,
            "loss": round(self.loss, 4),
            "valid_loss": round(result.loss, 4),
            result.metric: round(result.value, 4),
            "tokens_per_second": round(self.speed),
            "seconds": round(position.seconds, 1),
        }
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        value = "" if result.metric == "loss" else f"  {result.metric} {result.value:.2f}"
        star = " *" if improved else ""
        self.console.print(
            f"[bold]update {position.update:,}[/]  loss {self.loss:.3f}  "
            f"valid loss {result.loss:.3f}{value}{star}"
        )
        shown = result.samples[:SHOWN]
        sample = shown[position.update % len(shown)]
        for name, line in (
            ("in ", sample.source),
            ("out", sample.output),
            ("ref", sample.target),
        ):
            self.console.print(f"  {name} {_short(line)}", markup=False, style="dim")
        sys.stderr.flush()

    def note(self, text: str) -> None:
        """Says one line."""
        self.console.print(text, markup=False)


def _short(text: str, width: int = 100) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
