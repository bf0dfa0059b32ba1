"""The small cast that most tests share, and places for it to meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.core.management.base import CommandError
from django.db import connection
from django.test import TransactionTestCase
from pytest_django.plugin import DjangoDbBlocker

from mailboxes.state import opening_state
from messaging.inbox.services import incidents
from tests.clients import Api
from tests.factories import make_actor, make_organization, make_user
from workforce.callers import Caller
from workforce.dispatch import heartbeat
from workforce.models import Actor, Grant, Organization, Seat, Session, User

OURS = ("workforce", "boards", "messaging", "mailboxes")


_empty_tables = TransactionTestCase._fixture_teardown


def _empty_tables_patiently(case: TransactionTestCase) -> None:
    """Try again when a live server was at work: PostgreSQL ends one of two that wait for each other."""
    for _ in range(3):
        try:
            return _empty_tables(case)
        except CommandError:
            connection.close()
    return _empty_tables(case)


TransactionTestCase._fixture_teardown = _empty_tables_patiently


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database, free to be dropped at the end.

    A server that a test killed leaves backends behind for as long as PostgreSQL takes to notice.
    """
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(autouse=True)
def beat_only_on_committed_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The beat's thread does not see the rows of a test's transaction, and would take their runs for lost."""
    marker = request.node.get_closest_marker("django_db")
    committed = marker is not None and marker.kwargs.get("transaction")
    if not committed and "transactional_db" not in request.fixturenames:
        monkeypatch.setattr(heartbeat, "_renew", lambda held: None)


@dataclass(frozen=True, slots=True)
class Player:
    """One of the cast: a user with an actor, its key, and a client that calls with it."""

    user: User
    organization: Organization
    actor: Actor
    key: str
    api: Api

    @property
    def caller(self) -> Caller:
        """The caller that the key proves."""
        key = self.actor.keys.get()
        return Caller(
            user=self.user,
            organization=self.organization,
            passname=self.actor.passname,
            actor_id=self.actor.pk,
            key_id=key.pk,
            grants=frozenset(key.grants),
        )


def make_player(user: User, organization: Organization, passname: str, *grants: str) -> Player:
    actor, key = make_actor(
        grants=grants or Grant.values, organization=organization, user=user, passname=passname
    )
    return Player(user, organization, actor, key, Api(key))


@pytest.fixture
def organization(db: None) -> Organization:
    return make_organization("acme")


@pytest.fixture
def owner(organization: Organization) -> Player:
    """Owns the mailboxes."""
    return make_player(make_user("ada"), organization, "ada-desk")


@pytest.fixture
def member(owner: Player) -> Player:
    """Another actor of the owner's user: how many writers meet in one mailbox."""
    return make_player(owner.user, owner.organization, "ada-bot")


@pytest.fixture
def stranger(organization: Organization) -> Player:
    """Another user of the same organization."""
    return make_player(make_user("bob"), organization, "bob-desk")


@pytest.fixture
def outsider(db: None) -> Player:
    """A user of another organization."""
    return make_player(make_user("eve"), make_organization("umbrella"), "eve-desk")


Mailbox = Callable[..., Session]


@pytest.fixture
def mailbox(owner: Player) -> Mailbox:
    """Opens a mailbox of the owner's: ``mailbox("team.help", members=["team.lead"])``."""

    def open_mailbox(
        address: str = "support.help",
        *,
        members: list[str] | None = None,
        charter: str = "Be brief.",
        kind: str = "mailbox",
        player: Player = owner,
        **fields: Any,
    ) -> Session:
        return Session.objects.create(
            organization=player.organization,
            owner=player.user,
            address=address,
            kind=kind,
            state=opening_state(members=members or [], charter=charter),
            **fields,
        )

    return open_mailbox


@pytest.fixture
def seat(owner: Player) -> Callable[..., Seat]:
    """Hires a standard seat of the owner's organization, or a user's own."""

    def hire(seat_id: str = "support.lead", *, kind: str = "agent", **fields: Any) -> Seat:
        values = {"organization": owner.organization, "description": "Leads.", **fields}
        return Seat.objects.create(seat_id=seat_id, kind=kind, **values)

    return hire


@pytest.fixture(autouse=True)
def counter_of_refused_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test counts for itself: what another one left unwritten names rows that are gone."""
    monkeypatch.setattr(incidents, "counter", incidents.Counter())


def count_rows() -> dict[str, int]:
    """How many rows each of our tables has."""
    return {
        model._meta.label: model._default_manager.count()
        for label in OURS
        for model in apps.get_app_config(label).get_models()
    }


@contextmanager
def _unchanged(**allowed: int) -> Iterator[None]:
    before = count_rows()
    counters = list(Session.objects.order_by("pk").values_list("pk", "item_seq", "line_seq"))
    yield
    after = count_rows()
    grown = {name.split(".")[1]: after[name] - before[name] for name in before if after[name] != before[name]}
    if "CredentialIncident" not in allowed:  # a refused key is counted, whatever it was sent for
        grown.pop("CredentialIncident", None)
    assert grown == allowed
    kept = [pk for pk, _, _ in counters]
    rows = Session.objects.filter(pk__in=kept).order_by("pk").values_list("pk", "item_seq", "line_seq")
    assert list(rows) == counters


@pytest.fixture
def nothing_written(db: None) -> Callable[..., AbstractContextManager[None]]:
    """The block writes no row and uses no number, but for what is named: ``nothing_written(Request=1)``."""
    return _unchanged
