"""What the mailboxes of a tree declare, once bound. See docs/mailboxes.md."""

from __future__ import annotations

from dataclasses import dataclass

from mailboxes.boardnames import board_id
from workforce.refusals import Refusal, refusal_lines

#: The kind of a mailbox whose file names none.
DEFAULT_KIND = "mailbox"

#: The keys of a ``MAILBOX.md``: a closed list.
KEYS = ("flow", "description", "members", "boards", "instructions", "routing", "boardActions", "mintFor")


@dataclass(frozen=True, slots=True)
class KindFacts:
    """What binding asks about a mailbox kind.

    A ``built_in`` kind can hold boards; one that ``routes`` can place a person's post on one member.
    """

    name: str
    built_in: bool
    routes: bool


@dataclass(frozen=True, slots=True)
class MailboxDeclaration:
    """One mailbox of the tree, sound and ready to be opened.

    Kind, description, members and charter are settled at opening; boards, fallback and board actions count
    at every load.
    """

    id: str
    kind: str
    description: str
    members: tuple[str, ...]
    charter: str
    boards: tuple[str, ...]
    fallback: str | None
    board_actions: bool

    @property
    def board_ids(self) -> tuple[str, ...]:
        """The ids of the boards that the mailbox holds."""
        return tuple(board_id(self.id, name) for name in self.boards)


@dataclass(frozen=True, slots=True)
class RoomTemplate:
    """What every project's room is built from. ``site`` is where it stands: a mailbox id or a path."""

    site: str
    seats: tuple[str, ...]
    charter: str


@dataclass(frozen=True, slots=True)
class Binding:
    """The sound mailboxes sorted by id, the room template, and every problem.

    Problems come in the order in which they were met: those of single records by id, then those of the whole
    roster. ``template_ids`` are the ids of the files with ``mintFor``: they are never opened. Nothing of a
    binding with a refusal may be stored.
    """

    declarations: tuple[MailboxDeclaration, ...]
    template: RoomTemplate | None
    template_ids: tuple[str, ...]
    refusals: tuple[Refusal, ...]
    declared: int = 0

    def refusal_text(self) -> str:
        """A header with the number of problems and of declarations, then a line each; empty when none."""
        return refusal_lines(self.refusals, self.declared)
