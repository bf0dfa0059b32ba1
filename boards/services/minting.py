"""Minting the boards that the mailboxes of a tree hold. See docs/tree.md, "Loading"."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from boards.models import Board
from workforce.models import Organization

BATCH = 100


@dataclass(frozen=True, slots=True)
class HeldBoard:
    """A board as a mailbox declares it; ``actions`` opens its tools as the mailbox's actions."""

    board_id: str
    mailbox_id: str
    name: str
    actions: bool


@dataclass(slots=True)
class Minting:
    """What a load does to the organization's boards."""

    organization: Organization
    minted: list[Board] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def apply(self) -> None:
        """Write it. A dropped board keeps its rows. Must be called in a transaction, the organization locked."""
        Board.objects.bulk_create(
            self.minted,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["organization", "board_id"],
            update_fields=["mailbox_id", "name", "actions", "live"],
        )
        for start in range(0, len(self.dropped), BATCH):
            gone = self.dropped[start : start + BATCH]
            Board.objects.filter(organization=self.organization, board_id__in=gone).update(live=False)


def plan_minting(
    *, organization: Organization, held: Iterable[HeldBoard], is_kept: Callable[[str], bool]
) -> Minting:
    """Compare the boards that are held today with those minted. Only reads.

    A board that nothing holds any more is to be dropped, unless its mailbox ``is_kept``.
    """
    rows = Board.objects.filter(organization=organization, session=None)
    present = {
        row[0]: row[1:] for row in rows.values_list("board_id", "mailbox_id", "name", "actions", "live")
    }
    plan = Minting(organization)
    for board in held:
        wanted = (board.mailbox_id, board.name, board.actions, True)
        if present.pop(board.board_id, None) != wanted:
            plan.minted.append(_row(organization, board))
    for board_id, (mailbox_id, _name, _actions, live) in present.items():
        if live and not is_kept(mailbox_id):
            plan.dropped.append(board_id)
    return plan


def _row(organization: Organization, board: HeldBoard) -> Board:
    return Board(
        organization_id=organization.pk,
        board_id=board.board_id,
        mailbox_id=board.mailbox_id,
        name=board.name,
        actions=board.actions,
        live=True,
    )
