"""The slow part of a background action: done without a transaction, fenced by the run's lease. See docs/dispatch.md."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from workforce.errors import DomainError
    from workforce.kinds.base import Call
    from workforce.models import Request, Session


class RunLost(Exception):
    """The run's lease was lost: another worker has the request, and this one may write nothing more."""


class RunAborted(Exception):
    """Somebody asked for the request to be aborted; the run ends at this step."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What ``run`` returns to fail its request and keep what it wrote; a raised refusal undoes that."""

    refusal: DomainError


class Work(Protocol):
    """One run's slow part. ``session`` and ``request`` are as they were at its start, and not locked."""

    session: Session
    request: Request
    input: Any

    def step(self) -> AbstractContextManager[Call]:
        """A short transaction of this run, with its session locked.

        What is written in it stays, whatever becomes of the run; what is put into ``owed`` is written and
        started with it. Raises RunLost and RunAborted, before anything is written.
        """

    def check(self) -> None:
        """Raise RunLost or RunAborted when the run should go no further."""

    def at_every_beat(self, renew: Callable[[], None]) -> None:
        """Have something renewed together with the run's lease, by another thread, until the run ends."""
