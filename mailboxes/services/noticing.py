"""What of a load deserves a look, and stops nothing. See docs/tree.md, "Loading"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from mailboxes.declarations import MailboxDeclaration
from mailboxes.services.opening import Occupant
from workforce.refusals import listed, quoted

#: The settings with which a worker names the boards that it works.
_BOARD_SETTINGS = ("drains", "boardTools")


def boards_attended(settings: Iterable[Mapping[str, object]]) -> set[str]:
    """The boards that seats with these settings drain or have tools for."""
    return {board for declared in settings for key in _BOARD_SETTINGS for board in _named(declared, key)}


def boards_drained(seats: Iterable[tuple[str, Mapping[str, object]]]) -> dict[str, list[str]]:
    """For each board the ids of those seats, given with their settings, that drain it."""
    found: dict[str, list[str]] = {}
    for seat_id, settings in seats:
        for board in _named(settings, "drains"):
            found.setdefault(board, []).append(seat_id)
    return found


def _named(settings: Mapping[str, object], key: str) -> list[str]:
    boards = settings.get(key)
    return [board for board in boards if isinstance(board, str)] if isinstance(boards, list) else []


def load_warnings(
    *,
    declarations: Iterable[MailboxDeclaration],
    present: Mapping[str, Occupant],
    attended: Collection[str],
    answering: Collection[str],
) -> list[str]:
    """A line for each warning, by mailbox: unattended boards, members without a seat, drift.

    ``present`` are the mailboxes that were open before, ``answering`` the ids of the organization's seats that
    hear posts.
    """
    found: list[str] = []
    for declaration in declarations:
        occupant = present.get(declaration.id)
        members = declaration.members if occupant is None else occupant.members
        found += _unattended(declaration, attended)
        found += _unanswered(declaration.id, members, answering)
        found += _drift(declaration, occupant)
    return found


def _unattended(declaration: MailboxDeclaration, attended: Collection[str]) -> Iterator[str]:
    for board in declaration.board_ids:
        if board not in attended:
            yield (
                f"{declaration.id}: nobody works its board {quoted(board)}; "
                "name it under 'drains' or 'boardTools' of a worker"
            )


def _unanswered(mailbox_id: str, members: Iterable[str], answering: Collection[str]) -> Iterator[str]:
    alone = [member for member in members if member not in answering]
    if alone:
        yield f"{mailbox_id}: no seat of the organization answers for its members {listed(alone)}"


def _drift(declaration: MailboxDeclaration, occupant: Occupant | None) -> Iterator[str]:
    if occupant is None:
        return
    pairs = {
        "members": (list(declaration.members), occupant.members),
        "charter": (declaration.charter, occupant.state["charter"]),
        "description": (declaration.description, occupant.description),
        "flow": (declaration.kind, occupant.kind),
    }
    differing = [name for name, (declared, held) in pairs.items() if declared != held]
    if differing:
        yield (
            f"{declaration.id}: the file differs from the open mailbox, which keeps what it was opened with, "
            f"in {', '.join(differing)}; to change that, open a fresh mailbox under a new name"
        )
