"""What happens at the same moment, on a database with row locks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from tests.factories import make_actor, make_organization, make_user
from workforce.actorerrors import (
    ActorRetired,
    AlreadyFrozen,
    AlreadyRevoked,
    OrganizationTaken,
    PassnameTaken,
)
from workforce.errors import DomainError
from workforce.models import Actor, Key, Membership, Organization, User
from workforce.services.actors import add_actor, freeze_actor, retire_actor
from workforce.services.keys import issue_key, revoke_key, rotate_key
from workforce.services.organizations import (
    create_organization,
    ensure_membership,
    ensure_organization,
    ensure_user,
)

pytestmark = [
    pytest.mark.race,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="races are proved on PostgreSQL"),
    pytest.mark.django_db(transaction=True),
]

AT_ONCE = 6


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls in threads of their own, released together; what each returned, or its refusal."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=10)
            return call()
        except DomainError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def refusals(results: list[Any]) -> list[type[Any]]:
    return [type(result) for result in results if isinstance(result, DomainError)]


def test_add_actor__one_of_many_gets_the_passname() -> None:
    organization, users = make_organization(), [make_user() for _ in range(AT_ONCE)]

    def add(user: User) -> Callable[[], Any]:
        return lambda: add_actor(organization=organization, passname="scout", user=user, grants=[])

    results = at_once(*[add(user) for user in users])
    assert refusals(results) == [PassnameTaken] * (AT_ONCE - 1)
    assert Actor.objects.count() == Key.objects.count() == Membership.objects.count() == 1


def test_add_actor__the_same_user_with_several_passnames() -> None:
    organization, user = make_organization(), make_user()

    def add(number: int) -> Callable[[], Any]:
        return lambda: add_actor(organization=organization, passname=f"scout-{number}", user=user, grants=[])

    assert refusals(at_once(*[add(number) for number in range(AT_ONCE)])) == []
    assert Actor.objects.count() == AT_ONCE
    assert Membership.objects.count() == 1


def test_rotate_key__at_once_leaves_one_live_key() -> None:
    actor, _ = make_actor(grants=["flows:read"])
    calls = [lambda: rotate_key(organization=actor.organization, passname=actor.passname)] * AT_ONCE
    assert refusals(at_once(*calls)) == []
    assert Key.objects.count() == AT_ONCE + 1
    assert Key.objects.get(revoked_at=None).grants == ["flows:read"]


def test_retire_actor__against_issue_and_rotate_leaves_no_live_key() -> None:
    for _ in range(5):
        actor, _ = make_actor()
        organization, passname = actor.organization, actor.passname
        results = at_once(
            lambda: retire_actor(organization=organization, passname=passname),  # noqa: B023
            lambda: issue_key(organization=organization, passname=passname, grants=[]),  # noqa: B023
            lambda: rotate_key(organization=organization, passname=passname),  # noqa: B023
        )
        assert set(refusals(results)) <= {ActorRetired}
        assert not Key.objects.filter(actor=actor, revoked_at=None).exists()


def test_verbs__each_happens_once() -> None:
    actor, text = make_actor()
    organization, passname = actor.organization, actor.passname
    freezing = at_once(*[lambda: freeze_actor(organization=organization, passname=passname)] * AT_ONCE)
    assert refusals(freezing) == [AlreadyFrozen] * (AT_ONCE - 1)
    revoking = at_once(*[lambda: revoke_key(organization=organization, prefix=text)] * AT_ONCE)
    assert refusals(revoking) == [AlreadyRevoked] * (AT_ONCE - 1)
    retiring = at_once(*[lambda: retire_actor(organization=organization, passname=passname)] * AT_ONCE)
    assert refusals(retiring) == [ActorRetired] * (AT_ONCE - 1)


def test_organizations__each_is_made_once() -> None:
    assert refusals(at_once(*[lambda: ensure_organization(slug="acme")] * AT_ONCE)) == []
    assert refusals(at_once(*[lambda: ensure_user(username="ada")] * AT_ONCE)) == []
    creating = at_once(*[lambda: create_organization(slug="beta")] * AT_ONCE)
    assert refusals(creating) == [OrganizationTaken] * (AT_ONCE - 1)
    assert (Organization.objects.count(), User.objects.count()) == (2, 1)


def test_ensure_membership__one_default_among_many() -> None:
    user, organizations = make_user(), [make_organization() for _ in range(AT_ONCE)]

    def join(organization: Organization) -> Callable[[], Any]:
        return lambda: ensure_membership(user=user, organization=organization)

    assert refusals(at_once(*[join(organization) for organization in organizations])) == []
    assert Membership.objects.filter(user=user).count() == AT_ONCE
    assert Membership.objects.filter(user=user, is_default=True).count() == 1
