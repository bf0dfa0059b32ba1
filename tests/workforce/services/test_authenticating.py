"""Who calls with a key."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models import QuerySet

from tests.factories import make_actor, make_user
from tests.workforce.refusing import identity_rows, refused
from workforce import clock
from workforce.errors import (
    DomainError,
    Frozen,
    KeyExpired,
    KeyRevoked,
    NotGranted,
    PassnameMismatch,
    Unauthenticated,
)
from workforce.keys import mint_key
from workforce.models import Actor, Grant, Key
from workforce.services.actors import freeze_actor, retire_actor, unfreeze_actor
from workforce.services.authenticating import TOUCHED_EVERY, authenticate_key, touch_key
from workforce.services.keys import issue_key, revoke_key, rotate_key

pytestmark = pytest.mark.django_db


def test_authenticate_key__the_caller() -> None:
    actor, text = make_actor(grants=["flows:read"])
    caller = authenticate_key(text=text, passname_header=None)
    assert caller.user == actor.user
    assert caller.organization == actor.organization
    assert (caller.passname, caller.actor_id) == (actor.passname, actor.pk)
    assert caller.grants == frozenset({"flows:read"})
    caller.check_granted(Grant.FLOWS_READ)
    with pytest.raises(NotGranted, match="flows:write"):
        caller.check_granted(Grant.FLOWS_WRITE)


def test_authenticate_key__without_grants_nothing_is_allowed() -> None:
    _, text = make_actor(grants=[])
    caller = authenticate_key(text=text, passname_header=None)
    for grant in Grant:
        with pytest.raises(NotGranted):
            caller.check_granted(grant)


def test_authenticate_key__one_query_and_one_write_a_minute(django_assert_num_queries: Any) -> None:
    _, text = make_actor()
    with django_assert_num_queries(2):
        authenticate_key(text=text, passname_header=None)
    with django_assert_num_queries(1):
        caller = authenticate_key(text=text, passname_header=None)
        assert caller.user.username
        assert caller.organization.slug


@pytest.mark.parametrize(
    "text", ["", "Bearer", "wfk_", "wfk_0123456789ab_" + "a" * 43, "\x00", "é" * 70, "\ud800", "x" * 10_000]
)
def test_authenticate_key__unknown_or_rubbish(text: str) -> None:
    make_actor()
    with refused(Unauthenticated):
        authenticate_key(text=text, passname_header=None)


def ended(state: str) -> tuple[Actor, str]:
    """An actor whose key does not count, for each reason there is."""
    actor, text = make_actor(passname="scout", expires_days=1)
    organization = actor.organization
    if state == "revoked":
        revoke_key(organization=organization, prefix=text)
    elif state == "rotated":
        rotate_key(organization=organization, passname="scout")
    elif state == "retired":
        retire_actor(organization=organization, passname="scout")
    elif state == "retired, its key not revoked":
        Actor.objects.update(retired_at=clock.now())
    elif state == "expired":
        Key.objects.update(expires_at=clock.now())
    elif state == "frozen":
        freeze_actor(organization=organization, passname="scout")
    elif state == "inactive user":
        actor.user.is_active = False
        actor.user.save()
    return actor, text


ENDS: dict[str, type[DomainError]] = {
    "revoked": KeyRevoked,
    "rotated": KeyRevoked,
    "retired": KeyRevoked,
    "retired, its key not revoked": KeyRevoked,
    "expired": KeyExpired,
    "frozen": Frozen,
    "inactive user": Unauthenticated,
}


@pytest.mark.parametrize("state", ENDS)
def test_authenticate_key__refused_and_not_touched(state: str) -> None:
    _, text = ended(state)
    with refused(ENDS[state]):
        authenticate_key(text=text, passname_header="scout")
    with refused(ENDS[state]):  # the state of the key comes before the header
        authenticate_key(text=text, passname_header="other")


@pytest.mark.parametrize("state", ENDS)
def test_authenticate_key__the_state_shows_only_to_who_holds_the_secret(state: str) -> None:
    _, text = ended(state)
    prefix = text.split("_")[1]
    guess = mint_key().text.split("_", 2)[2]
    with pytest.raises(Unauthenticated) as known:
        authenticate_key(text=f"wfk_{prefix}_{guess}", passname_header="other")
    with pytest.raises(Unauthenticated) as unknown:
        authenticate_key(text=f"wfk_{'0' * 12}_{guess}", passname_header="other")
    assert (known.value.words, known.value.data) == (unknown.value.words, unknown.value.data)


def test_authenticate_key__the_status_of_each_refusal() -> None:
    errors: list[type[DomainError]] = [*ENDS.values(), PassnameMismatch]
    statuses = {error: error.status for error in errors}
    assert statuses == {
        KeyRevoked: 401,
        KeyExpired: 401,
        Unauthenticated: 401,
        Frozen: 403,
        PassnameMismatch: 403,
    }


def test_authenticate_key__another_key_of_a_revoked_ones_actor_still_counts() -> None:
    actor, first = make_actor()
    _, second = issue_key(organization=actor.organization, passname=actor.passname, grants=[])
    revoke_key(organization=actor.organization, prefix=first)
    with pytest.raises(KeyRevoked):
        authenticate_key(text=first, passname_header=None)
    assert authenticate_key(text=second, passname_header=None).actor_id == actor.pk


def test_authenticate_key__unfrozen_again() -> None:
    actor, text = ended("frozen")
    unfreeze_actor(organization=actor.organization, passname="scout")
    assert authenticate_key(text=text, passname_header=None).actor_id == actor.pk


@pytest.mark.parametrize("header", ["scout", "SCOUT", "  Scout "])
def test_authenticate_key__header_that_matches(header: str) -> None:
    _, text = make_actor(passname="scout")
    assert authenticate_key(text=text, passname_header=header).passname == "scout"


@pytest.mark.parametrize("header", ["", "  ", "other", "scou", "scout\x00", "\ud800", "x" * 10_000])
def test_authenticate_key__header_that_does_not_match(header: str) -> None:
    _, text = make_actor(passname="scout")
    with refused(PassnameMismatch, "'scout'"):
        authenticate_key(text=text, passname_header=header)


def test_authenticate_key__actors_of_one_user_are_told_apart() -> None:
    user = make_user()
    one, first = make_actor(user=user)
    _, second = make_actor(user=user, organization=one.organization)
    callers = [authenticate_key(text=text, passname_header=None) for text in (first, second)]
    assert callers[0].user == callers[1].user
    assert callers[0].passname != callers[1].passname


def test_authenticate_key__last_use_is_written_when_due() -> None:
    _, text = make_actor()
    authenticate_key(text=text, passname_header=None)
    first = Key.objects.get().last_used_at
    assert first is not None
    authenticate_key(text=text, passname_header=None)
    assert Key.objects.get().last_used_at == first
    Key.objects.update(last_used_at=first - TOUCHED_EVERY - timedelta(seconds=1))
    authenticate_key(text=text, passname_header=None)
    again = Key.objects.get().last_used_at
    assert again is not None
    assert again >= first


def test_touch_key__only_when_a_minute_has_passed() -> None:
    make_actor()
    key, now = Key.objects.get(), clock.now()
    touch_key(key_id=key.pk, last_used_at=now)
    touch_key(key_id=key.pk, last_used_at=now + timedelta(seconds=59))
    assert Key.objects.get().last_used_at == now
    touch_key(key_id=key.pk, last_used_at=now - timedelta(days=1))
    assert Key.objects.get().last_used_at == now
    touch_key(key_id=key.pk, last_used_at=now + timedelta(seconds=61))
    assert Key.objects.get().last_used_at == now + timedelta(seconds=61)


def test_authenticate_key__a_locked_database_does_not_fail_the_call(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    actor, text = make_actor()
    before = identity_rows()

    def locked(_self: QuerySet[Key], **_values: Any) -> int:
        raise OperationalError("database is locked")

    monkeypatch.setattr(QuerySet, "update", locked)
    assert authenticate_key(text=text, passname_header=None).actor_id == actor.pk
    assert identity_rows() == before
    assert text not in caplog.text
