"""What binding the workers of a tree yields. See docs/tree.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workforce.refusals import Refusal, refusal_lines


@dataclass(frozen=True, slots=True)
class SeatDeclaration:
    """One worker of the tree, sound and ready to be hired into an organization.

    ``settings`` is JSON-able and holds only what the file declares, under the file's keys: the kind's
    model validates it again. ``team_instructions`` go first in a turn and are never merged with the
    worker's own. ``hears_posts`` and ``takes_tasks`` are facts of the kind.
    """

    id: str
    kind: str
    description: str
    instructions: str
    team_instructions: str
    settings: dict[str, Any]
    hears_posts: bool
    takes_tasks: bool


@dataclass(frozen=True, slots=True)
class Roster:
    """The sound workers, sorted by id, and every problem of the others, sorted by id.

    ``hearing`` are the ids that a mailbox may count on to hear posts. A refused worker is among them
    unless its kind is known not to hear, so that one mistake is not reported a second time by each mailbox.
    """

    seats: tuple[SeatDeclaration, ...]
    refusals: tuple[Refusal, ...]
    hearing: frozenset[str] = frozenset()
    declared: int = 0

    def refusal_text(self) -> str:
        """A header with the number of problems and of workers, then a line each; empty when there is none."""
        return refusal_lines(self.refusals, self.declared)
