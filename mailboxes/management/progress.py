"""A bar on a terminal while a large tree loads; nothing anywhere else."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

#: Below this many records a load is over before a bar could be read.
SHOWN_FROM = 300


class LoadProgress:
    """Counts the records of a load; a bar shows from a few hundred on, on stderr, when that is a terminal."""

    def __init__(self) -> None:
        self._wanted = sys.stderr.isatty()
        self._count = 0
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, count: int) -> None:
        """So many records were read."""
        self._count = count
        if self._bar is not None:
            self._bar.update(self._task, words=f"read {count} records")
        elif self._wanted and count >= SHOWN_FROM:
            self._show()

    def apply(self) -> None:
        """All records are read, and the load is being applied."""
        if self._bar is not None:
            self._bar.update(self._task, words=f"loading {self._count} records")

    def _show(self) -> None:
        columns = (BarColumn(), TextColumn("{task.fields[words]}"), TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("load", total=None, words="reading")
        self._bar.start()
