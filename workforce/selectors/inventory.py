"""What the inventory of an organization says. See docs/workers.md, "Discovery"."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Case, Value, When

from workforce.models import InventoryMailbox, InventoryMembership, InventorySeat, Organization, Seat


@dataclass(frozen=True, slots=True)
class FoundMailbox:
    """A registered mailbox, and whether the asking seat is in it."""

    row: InventoryMailbox
    joined: bool


@dataclass(frozen=True, slots=True)
class FoundSeat:
    """A registered seat with its description; None when it is not on the roster any more."""

    row: InventorySeat
    description: str | None


def mailboxes_seen_by(seat: Seat, *, most: int) -> tuple[list[FoundMailbox], int]:
    """The organization's mailboxes, those with this seat first, and how many there are in all."""
    rows = InventoryMailbox.objects.filter(organization_id=seat.organization_id)
    places = InventoryMembership.objects.filter(organization_id=seat.organization_id, seat_id=seat.seat_id)
    own = set(places.values_list("mailbox_id", flat=True)[:most])
    first = Case(When(mailbox_id__in=own, then=Value(0)), default=Value(1))
    found = [FoundMailbox(row, row.mailbox_id in own) for row in rows.order_by(first, "mailbox_id")[:most]]
    return found, rows.count()


def seats_registered(organization: Organization, *, most: int) -> tuple[list[FoundSeat], int]:
    """The seats that were ever hired for the organization, and how many there are in all."""
    rows = InventorySeat.objects.filter(organization=organization)
    shown = list(rows.order_by("seat_id")[:most])
    live = Seat.objects.filter(
        organization=organization, owner=None, retired_at=None, seat_id__in=[row.seat_id for row in shown]
    )
    descriptions = dict(live.values_list("seat_id", "description"))
    return [FoundSeat(row, descriptions.get(row.seat_id)) for row in shown], rows.count()
