"""Hiring the workers of a tree as the organization's standard seats. See docs/tree.md, "Loading"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from workforce.models import InventorySeat, Organization, Seat
from workforce.models.fields import dump_json
from workforce.names import team_of
from workforce.roster import SeatDeclaration
from workforce.tree.broken import Broken, team_path, worker_path

BATCH = 200

#: What a seat carries from its file until a load changes it.
FROZEN = ("kind", "description", "instructions", "team_instructions", "settings")


@dataclass(slots=True)
class Hiring:
    """What a load does to the standard seats. Users' own seats are not touched."""

    organization: Organization
    hired: list[Seat] = field(default_factory=list)
    #: Retired once, and in the tree again.
    rehired: list[Seat] = field(default_factory=list)
    changed: list[Seat] = field(default_factory=list)
    retired: list[Seat] = field(default_factory=list)
    #: Live, and not to be read today.
    kept: list[Seat] = field(default_factory=list)
    registered: dict[str, str] = field(default_factory=dict)

    def apply(self, *, moment: datetime) -> None:
        """Write it. Must be called in a transaction, the organization locked."""
        Seat.objects.bulk_create(_stamped(self.hired, moment, "hired_at", "changed_at"), batch_size=BATCH)
        back = _stamped([*self.rehired, *self.changed], moment, "changed_at")
        Seat.objects.bulk_update(back, [*FROZEN, "changed_at", "retired_at"], batch_size=BATCH)
        Seat.objects.bulk_update(
            _stamped(self.retired, moment, "retired_at"), ["retired_at"], batch_size=BATCH
        )
        self._register([*self.hired, *back], moment)

    def _register(self, seats: Iterable[Seat], moment: datetime) -> None:
        """A row for each seat that was ever hired; it is never removed, and its kind is the seat's."""
        rows = [
            InventorySeat(
                organization=self.organization, seat_id=seat.seat_id, kind=seat.kind, hired_at=moment
            )
            for seat in seats
            if self.registered.get(seat.seat_id) != seat.kind
        ]
        InventorySeat.objects.bulk_create(
            rows,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["organization", "seat_id"],
            update_fields=["kind"],
        )


def plan_hiring(*, organization: Organization, seats: Sequence[SeatDeclaration], broken: Broken) -> Hiring:
    """Compare the bound workers of a tree with the standard seats. Only reads.

    A seat whose worker left the tree is to be retired, unless its place in the tree is ``broken`` today. When a
    team's TEAM.md is broken, the team's workers keep the team instructions that were live.
    """
    rows = {row.seat_id: row for row in Seat.objects.filter(organization=organization, owner=None)}
    plan = Hiring(organization)
    inventory = InventorySeat.objects.filter(organization=organization)
    plan.registered = dict(inventory.values_list("seat_id", "kind"))
    told = {team_of(row.seat_id): row.team_instructions for row in rows.values() if row.retired_at is None}
    for seat in seats:
        row = rows.pop(seat.id, None)
        wanted = _frozen(seat, row, told, broken)
        if row is None:
            plan.hired.append(Seat(organization=organization, seat_id=seat.id, **wanted))
        elif row.retired_at is not None:
            row.retired_at = None
            plan.rehired.append(_set(row, wanted))
        elif _differs(row, wanted):
            plan.changed.append(_set(row, wanted))
    for row in rows.values():
        if row.retired_at is None:
            (plan.kept if broken.touches(worker_path(row.seat_id)) else plan.retired).append(row)
    return plan


def _frozen(
    seat: SeatDeclaration, row: Seat | None, told: dict[str | None, str], broken: Broken
) -> dict[str, object]:
    wanted: dict[str, object] = {name: getattr(seat, name) for name in FROZEN}
    team = team_of(seat.id)
    if team is not None and broken.hides(team_path(team)):
        live = row is not None and row.retired_at is None
        wanted["team_instructions"] = row.team_instructions if row and live else told.get(team, "")
    return wanted


def _differs(row: Seat, wanted: dict[str, object]) -> bool:
    # As JSON text: Python takes 1, 1.0 and true for the same, and a settings model does not.
    if dump_json(row.settings) != dump_json(wanted["settings"]):
        return True
    return any(getattr(row, name) != value for name, value in wanted.items())


def _set(row: Seat, wanted: dict[str, object]) -> Seat:
    for name, value in wanted.items():
        setattr(row, name, value)
    return row


def _stamped(seats: list[Seat], moment: datetime, *names: str) -> list[Seat]:
    for seat in seats:
        for name in names:
            setattr(seat, name, moment)
    return seats
