"""Registering open mailboxes in the inventory. See docs/seats.md and docs/tree.md, "Loading"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from workforce.models import InventoryMailbox, InventoryMembership, Organization
from workforce.sql.writing import insert_copies

# No seat has a longer id, so such a member is in no seat's list of mailboxes.
_MAX_SEAT_ID = 130


@dataclass(slots=True)
class Registering:
    """What a load adds to the inventory. A row is never removed, but for an id that is a room template now."""

    organization: Organization
    known: set[str] = field(default_factory=set)
    templates: list[str] = field(default_factory=list)

    def apply(self, *, mailboxes: Mapping[str, tuple[str, Sequence[str]]], moment: datetime) -> None:
        """Register the mailboxes that are not yet: ids with the kind and the members of their sessions.

        Memberships go first and the mailbox last: where there is a mailbox, its memberships are there too.
        Must be called in a transaction, the organization locked.
        """
        fresh = {id: facts for id, facts in mailboxes.items() if id not in self.known}
        insert_copies(
            prototype=InventoryMembership(organization=self.organization),
            columns=("seat_id", "mailbox_id"),
            rows=_memberships(fresh),
            ignore_conflicts=True,
        )
        insert_copies(
            prototype=InventoryMailbox(organization=self.organization, opened_at=moment),
            columns=("mailbox_id", "kind", "members"),
            rows=((id, kind, list(members)) for id, (kind, members) in fresh.items()),
        )
        for id in self.templates:
            InventoryMailbox.objects.filter(organization=self.organization, mailbox_id=id).delete()
            InventoryMembership.objects.filter(organization=self.organization, mailbox_id=id).delete()


def _memberships(mailboxes: Mapping[str, tuple[str, Sequence[str]]]) -> Iterator[tuple[str, str]]:
    for id, (_kind, members) in mailboxes.items():
        for member in members:
            if len(member) <= _MAX_SEAT_ID:
                yield member, id


def plan_registering(*, organization: Organization, templates: Collection[str]) -> Registering:
    """See which mailboxes are registered. Only reads. ``templates`` are ids that have no row."""
    rows = InventoryMailbox.objects.filter(organization=organization)
    known = set(rows.values_list("mailbox_id", flat=True))
    return Registering(organization, known=known, templates=[id for id in templates if id in known])
