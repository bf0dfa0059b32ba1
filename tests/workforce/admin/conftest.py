"""Who stands before the admin, and something for them to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from boards.models import Board, Task
from mailboxes.models import Declaration, RoomTemplate
from mailboxes.state import opening_state
from messaging.inbox.services.opening import create_inbox, join_inbox
from messaging.models import DigestSubscription, Inbox, Message, WorkerMessage
from tests.factories import make_actor, make_organization, make_user
from workforce import clock
from workforce.callers import Caller
from workforce.ids import new_uuid
from workforce.models import (
    Actor,
    Document,
    InventoryMailbox,
    InventoryMembership,
    InventorySeat,
    Key,
    Membership,
    Organization,
    Request,
    Seat,
    Session,
    User,
)
from workforce.services.organizations import ensure_membership
from workforce.services.running import ActionCall, run_action

Role = Membership.Role


def post(session: Session, body: str, **input: Any) -> Request:
    """A line of the mailbox's owner, or the refusal."""
    caller = Caller(user=session.owner, organization=session.organization)
    asked = ActionCall(kind="mailbox", action="post", address=session.address, input={"body": body, **input})
    return run_action(caller=caller, asked=asked)


@dataclass(frozen=True, slots=True)
class World:
    """One organization with a row of everything."""

    organization: Organization
    user: User
    actor: Actor
    key: Key
    seat: Seat
    session: Session
    mailbox: InventoryMailbox
    refused: Request
    waiting: Request
    rows: dict[str, Any]

    def paths(self) -> dict[str, str]:
        """The page of each row, by the name of its model."""
        return {name: f"/admin/{name.replace('.', '/')}/{row.pk}/change/" for name, row in self.rows.items()}


def make_letter(organization: Organization, sender: Actor) -> Message:
    """A message in an inbox that nobody but its sender takes part in."""
    inbox = create_inbox(organization=organization, slug=f"{organization.slug}-inbox")
    join_inbox(inbox=inbox, passname=sender.passname)
    Inbox.objects.filter(pk=inbox.pk).update(message_seq=1)
    uid = new_uuid()
    return Message.objects.create(
        id=uid, thread_id=uid, inbox=inbox, seq=1, sender=sender, type="request", topic="plan",
        payload=f"A request of {organization.slug}.", excerpt="A request.", payload_size=20,
    )  # fmt: skip


def make_world(slug: str) -> World:
    organization, user = make_organization(slug), make_user(f"{slug}-user")
    actor, _ = make_actor(organization=organization, user=user, passname=f"{slug}-bot", expires_days=3)
    mailbox_id, members = f"{slug}.help", [f"{slug}.lead", "nobody.there"]
    seat = Seat.objects.create(
        organization=organization, seat_id=f"{slug}.lead", kind="agent", description="Leads the team."
    )
    session = Session.objects.create(
        organization=organization, owner=user, address=mailbox_id, kind="mailbox", description="Ask here.",
        state=opening_state(members=members, charter="Be brief."),
    )  # fmt: skip
    mailbox = InventoryMailbox.objects.create(
        organization=organization, mailbox_id=mailbox_id, kind="mailbox", members=members
    )
    declaration = Declaration.objects.create(
        organization=organization, mailbox_id=mailbox_id, kind="mailbox", description="Ask here.",
        members=members, charter="Be brief.", boards=["triage"],
    )  # fmt: skip
    Session.objects.create(
        organization=organization, owner=user, address=f"ses_{slug}", kind="agent", seat=seat, parent=session,
        topic="mailbox", title=f"{seat.seat_id} in {mailbox_id}",
    )  # fmt: skip
    line = post(session, f"A line of {slug}.")
    refused = post(session, "As somebody else.", author="stranger")
    session.refresh_from_db()
    waiting = Request.objects.get(session=session, action="onPosted", parent_uid=line.uid)
    key = actor.keys.get()
    board = Board.objects.create(
        organization=organization, board_id=f"{mailbox_id}.triage", mailbox_id=mailbox_id, name="triage"
    )
    letter = make_letter(organization, actor)
    return World(
        organization, user, actor, key, seat, session, mailbox, refused, waiting,
        rows={
            "workforce.organization": organization,
            "workforce.user": user,
            "workforce.actor": actor,
            "workforce.key": key,
            "workforce.seat": seat,
            "workforce.session": session,
            "workforce.request": refused,
            "workforce.inventorymailbox": mailbox,
            "workforce.inventoryseat": InventorySeat.objects.create(
                organization=organization, seat_id=seat.seat_id, kind="agent"
            ),
            "workforce.inventorymembership": InventoryMembership.objects.create(
                organization=organization, seat_id=seat.seat_id, mailbox_id=mailbox_id
            ),
            "workforce.document": Document.objects.create(
                organization=organization, document_id="handbook", description="How we work.", body="Kindly."
            ),
            "mailboxes.declaration": declaration,
            "mailboxes.roomtemplate": RoomTemplate.objects.create(
                organization=organization, site="org/resources/projects.yaml", seats=[seat.seat_id]
            ),
            "boards.board": board,
            "boards.task": Task.objects.create(
                board=board, task_id=f"task_{slug}_1", goal=f"Sort the post of {slug}.", created_by=user.username
            ),
            "messaging.inbox": letter.inbox,
            "messaging.message": letter,
            "messaging.digestsubscription": DigestSubscription.objects.create(
                organization=organization, user=user, actor=actor, channel="telegram", address="1234",
                cadence="daily", next_at=clock.now() + timedelta(days=1),
            ),
            "messaging.workermessage": WorkerMessage.objects.create(
                organization=organization, owner=user, sender=seat.seat_id, recipient=f"{slug}.aide",
                text=f"Who sorts the post of {slug}?", message_id=f"msg_{slug}", exchange=f"msg_{slug}",
                from_session=session, to_session=session, request_uid=line.uid, chain_uid=line.uid, hop=1,
                status="delivered", dispatch_key=f"message:{slug}",
            ),
        },
    )  # fmt: skip


@pytest.fixture
def world(db: None) -> World:
    return make_world("acme")


@pytest.fixture
def elsewhere(db: None) -> World:
    return make_world("umbrella")


Login = Callable[..., Client]


@pytest.fixture
def login(world: World) -> Login:
    """A client of a new user: ``login("operator")``, ``login("superuser")``, ``login(None)`` for plain staff."""

    def enter(
        who: str | None = "operator", *, staff: bool = True, at: World = world, **options: Any
    ) -> Client:
        user = make_user(is_staff=staff, is_superuser=who == "superuser")
        if who in Role.values:
            ensure_membership(user=user, organization=at.organization, role=Role(who))
        client = Client(**options)
        client.force_login(user)
        return client

    return enter


@pytest.fixture
def superuser(login: Login) -> Client:
    return login("superuser")


@pytest.fixture
def operator(login: Login) -> Client:
    return login("operator")


@pytest.fixture
def owner_client(login: Login) -> Client:
    return login("owner")
