"""Loads that meet each other, and posts that claim an id while it is being opened."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections, transaction

from mailboxes.services.loading import load_tree
from mailboxes.services.reporting import LoadReport
from mailboxes.tree import read_tree
from tests.trees import record, write_tree
from workforce.callers import Caller
from workforce.errors import DomainError
from workforce.models import InventoryMailbox, Item, Organization, Request, Seat, Session, User
from workforce.services.organizations import ensure_organization, ensure_user
from workforce.services.running import ActionCall, run_action

pytestmark = [
    pytest.mark.race,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not settings.DATABASES["default"]["ENGINE"].endswith("postgresql"),
        reason="row locks decide this race",
    ),
]

MAILBOX = "teams/eng/mailboxes/box-{}/MAILBOX.md"
COUNT = 30


@pytest.fixture
def organization() -> Organization:
    return ensure_organization(slug="default")


@pytest.fixture
def user() -> User:
    return ensure_user(username="local")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {MAILBOX.format(number): record("members: [eng.lead]\nboards: [todo]") for number in range(COUNT)}
    return write_tree(tmp_path, {**files, "teams/eng/workers/lead/WORKER.md": record()})


def in_thread(pool: ThreadPoolExecutor, work: Callable[[], Any]) -> Future[Any]:
    def whole() -> Any:
        try:
            return work()
        finally:
            connections.close_all()

    return pool.submit(whole)


def post(caller: Caller, address: str) -> str:
    """How a post to the address ended."""
    try:
        asked = ActionCall(kind="mailbox", action="post", address=address, input={"body": "Mine!"})
        request = run_action(caller=caller, asked=asked)
    except DomainError as error:
        return error.code
    return request.error["code"] if request.error else str(request.status)


def wait_until_blocked() -> None:
    """Until some session of this database waits for a lock that another one holds."""
    deadline = monotonic() + 10
    while monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        sleep(0.02)
    raise AssertionError("nobody waited")


def test_race__two_loads_at_once_open_everything_once(organization, user, root) -> None:
    tree = read_tree(root)
    barrier = threading.Barrier(4)

    def work() -> LoadReport:
        barrier.wait()
        return load_tree(tree=tree, organization=organization, user=user)

    with ThreadPoolExecutor(4) as pool:
        reports = [future.result() for future in [in_thread(pool, work) for _ in range(4)]]
    assert sorted(len(report.opened) for report in reports) == [0, 0, 0, COUNT]
    assert sorted(len(report.unchanged) for report in reports) == [0, COUNT, COUNT, COUNT]
    assert sorted(len(report.hired) for report in reports) == [0, 0, 0, 1]
    assert Session.objects.count() == InventoryMailbox.objects.count() == COUNT
    assert Seat.objects.count() == 1


@pytest.mark.parametrize("kept", [True, False])
def test_race__an_id_claimed_in_a_transaction_that_is_still_open(organization, user, root, kept) -> None:
    mallory = ensure_user(username="mallory")
    tree = read_tree(root)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Session.objects.create(
                organization=organization, owner=mallory, address="eng.box-7", kind="mailbox"
            )
            loading = in_thread(pool, lambda: load_tree(tree=tree, organization=organization, user=user))
            wait_until_blocked()
            transaction.set_rollback(not kept)
        report = loading.result()
    assert len(report.opened) == COUNT and report.refusals == ()
    assert set(Session.objects.values_list("owner__username", flat=True)) == {"local"}
    assert Session.objects.get(address="eng.box-7").state == {"members": ["eng.lead"], "charter": ""}


def test_race__an_empty_session_deleted_while_it_is_taken_over(organization, user, root) -> None:
    mallory = ensure_user(username="mallory")
    squat = Session.objects.create(
        organization=organization, owner=mallory, address="eng.box-7", kind="mailbox"
    )
    tree = read_tree(root)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Session.objects.filter(pk=squat.pk).delete()
            loading = in_thread(pool, lambda: load_tree(tree=tree, organization=organization, user=user))
            wait_until_blocked()
        assert len(loading.result().opened) == COUNT
    assert Session.objects.get(address="eng.box-7").owner == user


def test_race__another_kind_that_takes_an_id_meanwhile_is_refused(organization, user, root) -> None:
    tree = read_tree(root)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Session.objects.create(organization=organization, owner=user, address="eng.box-7", kind="agent")
            loading = in_thread(pool, lambda: load_tree(tree=tree, organization=organization, user=user))
            wait_until_blocked()
        report = loading.result()
    assert [refusal.id for refusal in report.refusals] == ["eng.box-7"]
    assert (
        Session.objects.count() == 1 and not Seat.objects.exists() and not InventoryMailbox.objects.exists()
    )


def test_race__posts_of_a_squatter_while_the_mailboxes_open(organization, user, root) -> None:
    mallory = Caller(user=ensure_user(username="mallory"), organization=organization)
    tree = read_tree(root)
    barrier = threading.Barrier(4)

    def squat(start: int) -> list[str]:
        barrier.wait()
        return [post(mallory, f"eng.box-{number}") for number in range(start, COUNT, 3)]

    def work() -> LoadReport:
        barrier.wait()
        return load_tree(tree=tree, organization=organization, user=user)

    with ThreadPoolExecutor(4) as pool:
        loading = in_thread(pool, work)
        squatting = [in_thread(pool, lambda start=start: squat(start)) for start in range(3)]
        report = loading.result()
        ends = [end for future in squatting for end in future.result()]
    assert report.refusals == () and len(report.opened) == COUNT
    assert set(ends) <= {"mailbox-not-bound", "session-not-found"}
    assert set(Session.objects.values_list("owner__username", flat=True)) == {"local"}
    assert not Item.objects.exists()
    assert set(Request.objects.values_list("status", flat=True)) <= {"failed"}
