"""A mailbox of the inventory with its session and its declaration, for a list in a constant number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from mailboxes.admin.drift import Difference, drift_of
from mailboxes.models import Declaration
from workforce.models import InventoryMailbox, Item, Session


@dataclass(frozen=True, slots=True)
class Place:
    """What an operator sees of one mailbox. A session that was removed, or never was, is None."""

    session: Session | None
    declaration: Declaration | None
    last_at: datetime | None
    drift: list[Difference]

    @property
    def lines(self) -> int:
        return self.session.line_seq if self.session else 0

    @property
    def is_declared(self) -> bool:
        return self.declaration is not None and self.declaration.live

    @property
    def boards(self) -> list[str]:
        """The boards that it holds today."""
        return sorted(self.declaration.boards) if self.declaration and self.is_declared else []

    @property
    def fallback(self) -> str:
        """The member that takes what fits nobody; empty when the mailbox does not route."""
        return self.declaration.fallback if self.declaration and self.is_declared else ""


def with_last_line(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """The sessions with ``last_at``, read at one place of an index each."""
    last = Item.objects.filter(session=OuterRef("pk"), line_seq=OuterRef("line_seq"))
    return sessions.annotate(last_at=Subquery(last.values("at")[:1]))


def places_of(mailboxes: Sequence[InventoryMailbox]) -> dict[int, Place]:
    """The place of each mailbox, by the key of its row. Two queries."""
    organizations = {box.organization_id for box in mailboxes}
    ids = {box.mailbox_id for box in mailboxes}
    sessions: dict[tuple[int, str], Any] = {
        (session.organization_id, session.address): session
        for session in with_last_line(
            Session.objects.filter(organization__in=organizations, address__in=ids).select_related(
                "owner", "organization"
            )
        )
    }
    declarations = {
        (row.organization_id, row.mailbox_id): row
        for row in Declaration.objects.filter(organization__in=organizations, mailbox_id__in=ids)
    }
    return {
        box.pk: _place(sessions.get(key), declarations.get(key))
        for box in mailboxes
        for key in [(box.organization_id, box.mailbox_id)]
    }


def _place(session: Any, declaration: Declaration | None) -> Place:
    return Place(
        session=session,
        declaration=declaration,
        last_at=session.last_at if session else None,
        drift=drift_of(declaration, session),
    )
