"""Opening the mailboxes of a tree: each a session at the mailbox's id. See docs/mailboxes.md, "Opening"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from mailboxes.declarations import MailboxDeclaration
from mailboxes.services.reporting import refused_load
from mailboxes.state import is_mailbox_state, opening_state
from workforce.errors import Unavailable
from workforce.models import Organization, Request, Session, User
from workforce.refusals import Refusal, listed, quoted
from workforce.sql.writing import batches, insert_copies

BATCH = 500
_ROUNDS = 10
_OLD_KIND = "channel"


@dataclass(frozen=True, slots=True)
class Occupant:
    """The session that is at a mailbox's id."""

    pk: int
    address: str
    kind: str
    owner_id: int
    description: str
    state: Any
    item_seq: int

    @property
    def is_open(self) -> bool:
        return is_mailbox_state(self.state)

    @property
    def is_empty(self) -> bool:
        """Nothing was ever bound or written here: a post to the id made it, before anything was opened."""
        return self.state == {} and self.item_seq == 0

    @property
    def members(self) -> list[str]:
        """The members of an open mailbox."""
        return list(self.state["members"])


@dataclass(slots=True)
class Opening:
    """What a load has to open, and whose, and what it may not take."""

    organization: Organization
    user: User
    kinds: Collection[str]
    missing: list[MailboxDeclaration] = field(default_factory=list)
    #: Declarations whose id an empty session holds, by the session's key.
    squatted: dict[int, MailboxDeclaration] = field(default_factory=dict)
    #: The mailboxes that are open already, by id.
    present: dict[str, Occupant] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def check(self) -> None:
        """Raise LoadRefused, with every id that may not be taken, when there is one."""
        if self.refusals:
            raise refused_load(self.refusals)

    def write(self, moment: datetime, *, beside_claims: bool) -> bool:
        """Write it; whether every empty session was still there to be taken over.

        ``beside_claims`` passes over ids that others claim meanwhile; without it they are an IntegrityError.
        """
        taken_over = self._take_over(moment) if self.squatted else 0
        prototype = Session(
            organization=self.organization, owner=self.user, created_at=moment, updated_at=moment
        )
        insert_copies(
            prototype=prototype,
            columns=("address", "kind", "description", "state"),
            rows=(
                (declaration.id, declaration.kind, declaration.description, _state_of(declaration))
                for declaration in self.missing
            ),
            ignore_conflicts=beside_claims,
        )
        return taken_over == len(self.squatted)

    def _take_over(self, moment: datetime) -> int:
        """Bind the empty sessions in place: whoever named an id first holds nothing of it."""
        sessions: list[Session] = []
        for batch in batches(sorted(self.squatted), BATCH):
            locked = Session.objects.select_for_update().filter(pk__in=batch).order_by("pk")
            sessions += [session for session in locked if session.state == {} and session.item_seq == 0]
        # What somebody else sent here is theirs: it does not go to the mailbox's owner with the id.
        foreign = [session.pk for session in sessions if session.owner_id != self.user.pk]
        Request.objects.filter(session_id__in=foreign).delete()
        for session in sessions:
            declaration = self.squatted[session.pk]
            session.owner, session.kind = self.user, declaration.kind
            session.description, session.state = declaration.description, _state_of(declaration)
            session.title, session.tags, session.metadata = "", [], {}
            session.updated_at = moment
        bound = ["owner", "kind", "description", "state", "title", "tags", "metadata", "updated_at"]
        Session.objects.bulk_update(sessions, bound, batch_size=100)
        return len(sessions)


def plan_opening(
    *,
    organization: Organization,
    user: User,
    kinds: Collection[str],
    declarations: Sequence[MailboxDeclaration],
) -> Opening:
    """See which of the declared mailboxes are open, which are not, and which ids are taken. Only reads.

    ``kinds`` are the names of the mailbox kinds.
    """
    plan = Opening(organization, user, kinds)
    occupants = read_occupants(organization, (declaration.id for declaration in declarations))
    taken: list[Occupant] = []
    for declaration in declarations:
        occupant = occupants.get(declaration.id)
        if occupant is None:
            plan.missing.append(declaration)
        elif occupant.kind in kinds and occupant.is_empty:
            plan.squatted[occupant.pk] = declaration
        elif occupant.kind in kinds and occupant.is_open and occupant.owner_id == user.pk:
            plan.present[declaration.id] = occupant
        else:
            taken.append(occupant)
    plan.refusals = _refusals(taken, plan)
    return plan


def open_mailboxes(*, plan: Opening, moment: datetime) -> list[str]:
    """Open what the plan says; returns the ids, sorted. Must be called in a transaction.

    An id that a post claims at this moment is taken over as well. Raises LoadRefused for one that was taken by
    anything else.
    """
    plan.check()
    declarations = (*plan.missing, *plan.squatted.values())
    try:
        with transaction.atomic():
            all_open = plan.write(moment, beside_claims=False)
    except IntegrityError:
        all_open = False
    if not all_open:
        _open_beside_claims(plan, declarations, moment)
    return sorted(declaration.id for declaration in declarations)


def _open_beside_claims(plan: Opening, declarations: Sequence[MailboxDeclaration], moment: datetime) -> None:
    """Read again and write again, until each of the mailboxes is seen to be open."""
    for _ in range(_ROUNDS):
        again = plan_opening(
            organization=plan.organization, user=plan.user, kinds=plan.kinds, declarations=declarations
        )
        again.check()
        if not again.missing and not again.squatted:
            return
        again.write(moment, beside_claims=True)
    raise Unavailable("the ids of mailboxes are claimed faster than they can be opened; try again")


def read_occupants(organization: Organization, ids: Iterable[str]) -> dict[str, Occupant]:
    """The sessions at these ids."""
    columns = ("pk", "address", "kind", "owner_id", "description", "state", "item_seq")
    found: dict[str, Occupant] = {}
    for batch in batches(ids, BATCH):
        rows = Session.objects.filter(organization=organization, address__in=batch)
        found.update((row[1], Occupant(*row)) for row in rows.values_list(*columns))
    return found


def _state_of(declaration: MailboxDeclaration) -> dict[str, Any]:
    return opening_state(members=list(declaration.members), charter=declaration.charter)


def _refusals(taken: Sequence[Occupant], plan: Opening) -> list[Refusal]:
    names = User.objects.in_bulk({occupant.owner_id for occupant in taken}) if taken else {}
    return [
        Refusal(occupant.address, _why_taken(occupant, plan, names[occupant.owner_id].username))
        for occupant in taken
    ]


def _why_taken(occupant: Occupant, plan: Opening, owner: str) -> str:
    if occupant.kind == _OLD_KIND:
        return (
            f"its id is held by old data, a session of the kind '{_OLD_KIND}', as mailboxes were called before; "
            "load into an empty store; 'manage.py find_pre_rename' lists what is old"
        )
    if occupant.kind not in plan.kinds:
        return (
            f"its id is taken by a session of another kind, {quoted(occupant.kind)}; "
            f"rename the mailbox's folder, or delete that session ('manage.py session remove {occupant.address}')"
        )
    if occupant.owner_id != plan.user.pk:
        return (
            f"its id is taken by a session of another user, {quoted(owner)}; load with that --user, "
            "or rename the mailbox's folder"
        )
    keys = occupant.state if isinstance(occupant.state, dict) else []
    return (
        f"its id is taken by a session whose state is not a mailbox's (keys: {listed(keys)}); "
        f"rename the mailbox's folder, or delete that session ('manage.py session remove {occupant.address}')"
    )
