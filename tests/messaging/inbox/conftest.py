"""An inbox with a planner, a coder, a reviewer and a boss, who is a person; each calls with its own key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.http import HttpResponse

from messaging.inbox.models import Inbox, Message, Participation, Receipt
from messaging.inbox.receipts import State
from messaging.inbox.services.admitting import admit_actor
from messaging.inbox.services.opening import create_inbox
from tests.clients import Api
from tests.factories import make_organization, make_user
from workforce.models import Actor, Organization, User

NAMES = ("planner", "coder", "reviewer", "boss")


@dataclass(frozen=True, slots=True)
class Mate:
    """A participant, and what it calls."""

    inbox: Inbox
    actor: Actor
    key: str
    api: Api

    @property
    def path(self) -> str:
        return f"/api/inboxes/{self.inbox.slug}"

    @property
    def name(self) -> str:
        return self.actor.passname

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.api.get(f"{self.path}/{path}", **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.api.post(f"{self.path}/{path}", {} if body is None else body, **headers)

    def try_send(
        self, payload: Any = "Do it.", headers: dict[str, str] | None = None, **body: Any
    ) -> HttpResponse:
        """A send that may be refused; a request in the topic ``plan`` unless the body says otherwise."""
        whole = {"type": "request", "topic": "plan", "payload": payload, **body}
        return self.post("messages/", {k: v for k, v in whole.items() if v is not ...}, **(headers or {}))

    def send(self, payload: Any = "Do it.", **body: Any) -> dict[str, Any]:
        """A send that must be accepted; the message."""
        return done(self.try_send(payload, **{"allowDuplicate": True, **body}), 201)

    def pull(self, **body: Any) -> dict[str, Any]:
        return done(self.post("pull/", body))

    def queue(self, query: str = "") -> dict[str, Any]:
        return done(self.get(f"queue/{query}"))

    def do(self, message: str, act: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.post(f"messages/{message}/{act}/", body, **headers)

    def see(self, message: str, query: str = "") -> dict[str, Any]:
        return done(self.get(f"messages/{message}/{query}"))


def done(answer: HttpResponse, status: int = 200) -> dict[str, Any]:
    """The body of an answer that must have this status."""
    assert answer.status_code == status, (answer.status_code, answer.content[:2000])
    body: dict[str, Any] = answer.json()
    return body


def admit(
    inbox: Inbox, passname: str, *, scope: str = "write", user: User | None = None, **options: Any
) -> Mate:
    """An actor that takes part in the inbox."""
    actor, _, key = admit_actor(
        organization=inbox.organization,
        passname=passname,
        user=user or make_user("ada"),
        grants=[],
        inbox=inbox,
        scope=scope,
        **options,
    )
    return Mate(inbox, actor, key, Api(key))


def make_team(inbox: Inbox) -> dict[str, Mate]:
    """The four."""
    return {name: admit(inbox, name, kind="person" if name == "boss" else "agent") for name in NAMES}


@pytest.fixture
def inbox(organization: Organization) -> Inbox:
    return create_inbox(organization=organization, slug="release")


@pytest.fixture
def team(inbox: Inbox) -> dict[str, Mate]:
    return make_team(inbox)


@pytest.fixture
def planner(team: dict[str, Mate]) -> Mate:
    return team["planner"]


@pytest.fixture
def coder(team: dict[str, Mate]) -> Mate:
    return team["coder"]


@pytest.fixture
def reviewer(team: dict[str, Mate]) -> Mate:
    return team["reviewer"]


@pytest.fixture
def boss(team: dict[str, Mate]) -> Mate:
    return team["boss"]


@pytest.fixture
def elsewhere(db: None) -> Mate:
    """A participant of another organization's inbox, which has the same slug."""
    inbox = create_inbox(organization=make_organization("umbrella"), slug="release")
    return admit(inbox, "eve", user=make_user("eve"))


def check_counters(inbox: Inbox) -> None:
    """What is counted equals what is there."""
    inbox.refresh_from_db()
    seqs = list(Message.objects.filter(inbox=inbox).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, inbox.message_seq + 1))
    for place in Participation.objects.filter(inbox=inbox):
        mine = Receipt.objects.filter(inbox=inbox, recipient=place.actor)
        found = (mine.filter(state=State.PENDING).count(), mine.filter(state=State.DELIVERED).count())
        assert (place.pending, place.delivered) == found, place.actor.passname
    for message in Message.objects.filter(inbox=inbox):
        receipts = Receipt.objects.filter(message=message)
        assert message.recipient_count == receipts.count()
        assert message.open_receipts == receipts.filter(Receipt.IS_OPEN).count()


def _rows() -> list[Any]:
    places = Participation.objects.order_by("pk").values(
        "pk", "pending", "delivered", "newest_seq", "left_at"
    )
    return [
        list(Inbox.objects.order_by("pk").values()),
        list(places),
        list(Message.objects.order_by("pk").values()),
        list(Receipt.objects.order_by("pk").values()),
    ]


@contextmanager
def _same() -> Iterator[None]:
    before = _rows()
    yield
    assert _rows() == before


@pytest.fixture
def unmoved(db: None) -> Callable[[], AbstractContextManager[None]]:
    """The block leaves every inbox, count, message and receipt as it was."""
    return _same
