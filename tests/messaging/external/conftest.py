"""An open mailbox with a member whose agent lives outside, and that agent with its key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from boards.drains.draining import drain_board
from messaging.external.models import OutsideItem, OutsideReply
from messaging.inbox.models import Inbox
from messaging.inbox.services.opening import create_inbox
from tests.conftest import Mailbox, Player
from tests.messaging.delegation.offices import Office, texts
from tests.messaging.delegation.tasking import add, row
from tests.messaging.inbox.conftest import Mate, admit
from workforce.dispatch.sweep import run_due
from workforce.models import Item, Organization, Request, Seat, Session
from workforce.turns.models import forget_model

SEAT = "support.wren"


@dataclass
class Outside:
    """The agent, its seat, and the mailbox in which it is a member."""

    owner: Player
    mailbox: Session
    seat: Seat
    agent: Mate

    def post(self, body: str = "Where is my order?", **input: Any) -> dict[str, Any]:
        """A person's post, and everything that follows."""
        line = self.owner.api.line(self.mailbox.address, body, **input)
        self.run()
        return line

    def run(self) -> int:
        total = 0
        while ran := run_due():
            total += ran
        return total

    def items(self) -> list[dict[str, Any]]:
        """What the agent owes, with its payloads."""
        return [self.agent.see(item["id"]) for item in self.agent.pull()["items"]]

    def item(self) -> dict[str, Any]:
        (item,) = self.items()
        return item

    def reply(self, item: dict[str, Any], payload: Any = "On its way.", **body: Any) -> dict[str, Any]:
        sent = self.agent.send(payload, type="message", topic=..., replyingTo=item["id"], **body)
        self.run()
        return sent

    def lines(self) -> list[dict[str, Any]]:
        return self.owner.api.transcript(self.mailbox.address)

    def said(self) -> list[tuple[str, str]]:
        return [(line.get("author", ""), line["body"]) for line in self.lines()]

    def refusals(self) -> list[dict[str, Any]]:
        """What the agent is told of replies that did not land."""
        return [item for item in self.items() if item["type"] == "info"]

    def failed(self) -> list[str]:
        rows = Request.objects.filter(status="failed").order_by("pk")
        return [(row.error or {})["code"] for row in rows]

    def rows(self) -> tuple[int, int]:
        return OutsideItem.objects.count(), OutsideReply.objects.count()

    def route(self, post: dict[str, Any]) -> Request:
        """The delivery of a post that the mailbox routed to the seat."""
        delivery = {
            "mailboxId": self.mailbox.address,
            "member": SEAT,
            "postId": post["id"],
            "body": post["body"],
            "principal": "ada",
            "routed": True,
            "recent": [{"from": "ada", "text": "Hello."}],
        }
        place, _ = Session.objects.get_or_create(
            parent=self.mailbox,
            seat=self.seat,
            topic="mailbox",
            defaults={
                "organization": self.mailbox.organization,
                "owner": self.mailbox.owner,
                "address": "wren-in-help",
                "kind": "external",
            },
        )
        request = Request.objects.create(
            session=place, action="onMailboxPost", source="dispatch", serial=True, input=delivery
        )
        self.run()
        request.refresh_from_db()
        return request


def hire_outside(
    organization: Organization, inbox: str = "release", passname: str = "wren", **settings: Any
) -> Seat:
    return Seat.objects.create(
        organization=organization,
        seat_id=SEAT,
        kind="external",
        description="Answers for orders.",
        settings={"passname": passname, "inbox": inbox, **settings},
    )


@pytest.fixture
def inbox(organization: Organization) -> Inbox:
    return create_inbox(organization=organization, slug="release")


@pytest.fixture
def outside(owner: Player, mailbox: Mailbox, inbox: Inbox) -> Outside:
    agent = admit(inbox, "wren", user=owner.user)
    place = mailbox("support.help", members=[SEAT])
    return Outside(owner, place, hire_outside(owner.organization), agent)


@dataclass
class Desk:
    """An office one of whose workers is an agent that lives outside."""

    office: Office
    agent: Mate
    talk: Session = field(default_factory=Session)

    def items(self) -> list[dict[str, Any]]:
        """What the agent owes, with its payloads."""
        return [self.agent.see(item["id"]) for item in self.agent.pull()["items"]]

    def item(self) -> dict[str, Any]:
        (item,) = self.items()
        return item

    def reply(self, payload: Any, to: dict[str, Any] | None = None) -> dict[str, Any]:
        """The agent's reply, to its oldest open item unless another is given, and everything that follows."""
        item = to or self.items()[0]
        sent = self.agent.send(payload, type="message", topic=..., replyingTo=item["id"])
        self.office.work()
        return sent

    def refused(self) -> list[str]:
        """The codes that the agent is told of replies that did not count."""
        return [one["payload"]["refused"] for one in self.items() if one["type"] == "info"]

    def heard(self) -> list[str]:
        """What the filer was told of its tasks."""
        return [text for text in texts(self.talk) if text.startswith("Task ")]

    def file(self) -> None:
        """Have the worker of a conversation file a task for the agent."""
        self.office.script("lead", add(input={"shelf": 3}), "Filed.", "Thanks.")
        self.talk = self.office.lead("", SEAT, kind="agent")
        self.office.run(self.office.say(self.talk, run=False))

    def start(self) -> Request:
        """A task that was handed over and of which the agent is still to be told; the run that tells it."""
        self.file()
        assert drain_board(row().board_id) == 1
        return Request.objects.get(action="work")


@pytest.fixture
def filed(desk: Desk) -> Desk:
    """A conversation whose worker has filed a task for the agent, which was told of it."""
    desk.file()
    desk.office.work()
    return desk


@pytest.fixture
def desk(owner: Player, inbox: Inbox) -> Iterator[Desk]:
    office = Office(owner)
    office.register()
    agent = admit(inbox, "wren", user=owner.user)
    hire_outside(owner.organization)
    yield Desk(office, agent)
    forget_model("office:")


def shown(session: Session) -> list[tuple[str, str]]:
    """The lines of a conversation: role and text."""
    rows = Item.objects.filter(session=session, type="message").order_by("seq").values_list("data", flat=True)
    return [(data["role"], data["text"]) for data in rows if data]
