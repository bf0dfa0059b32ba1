"""Keys: issued, rotated, revoked."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.factories import make_actor, make_organization
from tests.workforce.refusing import refused
from workforce import clock
from workforce.actorerrors import ActorRetired, AlreadyRevoked, UnknownGrant, UnknownKey, UnknownPassname
from workforce.errors import InvalidInput
from workforce.keys import parse_key
from workforce.models import Actor, Key
from workforce.selectors.actors import key_state, list_keys
from workforce.services.actors import freeze_actor, retire_actor
from workforce.services.keys import issue_key, revoke_key, rotate_key

pytestmark = pytest.mark.django_db


def live_keys(actor: Actor) -> list[Key]:
    return [key for key in list_keys(actor.organization, passname=actor.passname) if key.revoked_at is None]


def test_issue_key__one_more() -> None:
    actor, _ = make_actor(grants=["flows:read"])
    key, text = issue_key(
        organization=actor.organization, passname=actor.passname, grants=["boards:read"], expires_days=3
    )
    key.refresh_from_db()
    assert parse_key(text) == (key.prefix, key.digest)
    assert key.grants == ["boards:read"]
    assert key.expires_at == key.created_at + timedelta(days=3)
    assert len(live_keys(actor)) == 2


def test_issue_key__refused() -> None:
    actor, _ = make_actor(passname="scout")
    organization = actor.organization
    with refused(UnknownGrant):
        issue_key(organization=organization, passname="scout", grants=["read"])
    with refused(InvalidInput, "expires"):
        issue_key(organization=organization, passname="scout", grants=[], expires_days=0)
    with refused(UnknownPassname, "did you mean 'scout'"):
        issue_key(organization=organization, passname="scouts", grants=[])
    retire_actor(organization=organization, passname="scout")
    with refused(ActorRetired, "'scout'"):
        issue_key(organization=organization, passname="scout", grants=[])


def test_rotate_key__same_grants_and_the_old_one_revoked() -> None:
    actor, old_text = make_actor(grants=["flows:read", "boards:write"])
    old = Key.objects.get()
    key, text = rotate_key(organization=actor.organization, passname=actor.passname.upper())
    old.refresh_from_db()
    assert text != old_text
    assert parse_key(text) == (key.prefix, key.digest)
    assert key.grants == old.grants == ["flows:read", "boards:write"]
    assert key.expires_at is None
    assert old.revoked_at == key.created_at
    assert live_keys(actor) == [key]


def test_rotate_key__the_lifetime_starts_anew() -> None:
    actor, _ = make_actor(expires_days=30)
    old = Key.objects.get()
    Key.objects.update(
        created_at=old.created_at - timedelta(days=20),
        expires_at=old.created_at + timedelta(days=10),
    )
    key, _ = rotate_key(organization=actor.organization, passname=actor.passname)
    assert key.expires_at == key.created_at + timedelta(days=30)


def test_rotate_key__of_several_the_newest_live_one_is_the_model() -> None:
    actor, _ = make_actor(grants=["flows:read"])
    organization, passname = actor.organization, actor.passname
    issue_key(organization=organization, passname=passname, grants=["boards:read"], expires_days=5)
    newest, _ = issue_key(organization=organization, passname=passname, grants=["inbox:read"])
    revoke_key(organization=organization, prefix=newest.prefix)
    key, _ = rotate_key(organization=organization, passname=passname)
    assert key.grants == ["boards:read"]
    assert live_keys(actor) == [key]


def test_rotate_key__of_several_the_rotated_one_is_never_wider_than_the_newest() -> None:
    actor, _ = make_actor(grants=["flows:read", "flows:write"])
    issue_key(organization=actor.organization, passname=actor.passname, grants=["flows:read"])
    key, _ = rotate_key(organization=actor.organization, passname=actor.passname)
    assert key.grants == ["flows:read"]


@pytest.mark.parametrize("state", ["expired", "revoked"])
def test_rotate_key__after_the_last_key_has_ended(state: str) -> None:
    actor, _ = make_actor(grants=["flows:read"], expires_days=1)
    if state == "expired":
        now = clock.now()
        Key.objects.update(created_at=now - timedelta(days=2), expires_at=now - timedelta(days=1))
    else:
        revoke_key(organization=actor.organization, prefix=Key.objects.get().prefix)
    key, _ = rotate_key(organization=actor.organization, passname=actor.passname)
    assert key.grants == ["flows:read"]
    assert key.expires_at == key.created_at + timedelta(days=1)
    assert live_keys(actor) == [key]


def test_rotate_key__keeps_the_moment_of_an_earlier_revocation() -> None:
    actor, _ = make_actor()
    revoked = revoke_key(organization=actor.organization, prefix=Key.objects.get().prefix)
    rotate_key(organization=actor.organization, passname=actor.passname)
    assert Key.objects.get(pk=revoked.pk).revoked_at == revoked.revoked_at


def test_rotate_key__leaves_other_actors_alone() -> None:
    actor, _ = make_actor()
    other, _ = make_actor(organization=actor.organization)
    rotate_key(organization=actor.organization, passname=actor.passname)
    assert len(live_keys(other)) == 1


def test_rotate_key__a_frozen_actor_stays_frozen() -> None:
    actor, _ = make_actor()
    freeze_actor(organization=actor.organization, passname=actor.passname)
    key, _ = rotate_key(organization=actor.organization, passname=actor.passname)
    assert key_state(key, now=clock.now()) == "frozen"


def test_rotate_key__refused() -> None:
    actor, _ = make_actor(passname="scout")
    organization = make_organization()
    with refused(UnknownPassname):
        rotate_key(organization=organization, passname="scout")
    retire_actor(organization=actor.organization, passname="scout")
    with refused(ActorRetired):
        rotate_key(organization=actor.organization, passname="scout")


def test_revoke_key__by_prefix_or_by_the_whole_key() -> None:
    for shorten in (False, True):
        actor, text = make_actor()
        prefix = text.split("_")[1].upper() if shorten else text
        key = revoke_key(organization=actor.organization, prefix=prefix)
        assert key.revoked_at is not None
        assert Key.objects.get(pk=key.pk).revoked_at == key.revoked_at


def test_revoke_key__twice_says_when() -> None:
    actor, text = make_actor()
    key = revoke_key(organization=actor.organization, prefix=text)
    assert key.revoked_at is not None
    with refused(AlreadyRevoked, f"{key.revoked_at:%Y-%m-%d %H:%M:%S} UTC", key.prefix, actor.passname):
        revoke_key(organization=actor.organization, prefix=key.prefix)


@pytest.mark.parametrize("prefix", ["", "000000000000", "a\x00", "\ud800", "x" * 10_000])
def test_revoke_key__unknown(prefix: str) -> None:
    actor, _ = make_actor()
    with refused(UnknownKey, actor.organization.slug, "key list"):
        revoke_key(organization=actor.organization, prefix=prefix)


def test_revoke_key__another_organizations_key_is_unknown_and_its_secret_is_not_repeated() -> None:
    _, text = make_actor()
    organization = make_organization()
    with pytest.raises(UnknownKey) as caught:
        revoke_key(organization=organization, prefix=text)
    assert text.split("_", 2)[2] not in str(caught.value)
    assert Key.objects.get().revoked_at is None


def test_key_state__each() -> None:
    actor, _ = make_actor(expires_days=1)
    organization, now = actor.organization, clock.now()
    key = list_keys(organization).get()
    assert key_state(key, now=now) == "live"
    assert key_state(key, now=now + timedelta(days=2)) == "expired"
    freeze_actor(organization=organization, passname=actor.passname)
    assert key_state(list_keys(organization).get(), now=now) == "frozen"
    retire_actor(organization=organization, passname=actor.passname)
    assert key_state(list_keys(organization).get(), now=now) == "revoked"
