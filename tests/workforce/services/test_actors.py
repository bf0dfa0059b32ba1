"""Actors: added, frozen, retired."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import make_actor, make_organization, make_user
from tests.workforce.refusing import refused
from workforce.actorerrors import (
    ActorRetired,
    AlreadyFrozen,
    NotFrozen,
    PassnameReserved,
    PassnameTaken,
    UnknownGrant,
    UnknownPassname,
)
from workforce.errors import InvalidInput
from workforce.keys import parse_key
from workforce.models import Actor, Grant, Key, Membership
from workforce.services.actors import (
    RESERVED_PASSNAMES,
    add_actor,
    freeze_actor,
    retire_actor,
    unfreeze_actor,
)

pytestmark = pytest.mark.django_db


def add(**changes: Any) -> tuple[Actor, Key, str]:
    given: dict[str, Any] = {"passname": "scout", "grants": [], **changes}
    given.setdefault("organization", None)
    given["organization"] = given["organization"] or make_organization()
    given["user"] = given.get("user") or make_user()
    return add_actor(**given)


def test_add_actor__keeps_what_is_given() -> None:
    actor, key, text = add(
        kind="person", display_name="The Scout", seat_id="support.help", grants=["flows:write", "flows:read"]
    )
    actor.refresh_from_db()
    key.refresh_from_db()
    assert (actor.passname, actor.kind, actor.display_name, actor.seat_id) == (
        "scout",
        "person",
        "The Scout",
        "support.help",
    )
    assert (actor.frozen_at, actor.retired_at) == (None, None)
    assert key.actor == actor
    assert key.grants == ["flows:read", "flows:write"]
    assert (key.expires_at, key.revoked_at, key.last_used_at) == (None, None, None)
    assert parse_key(text) == (key.prefix, key.digest)


def test_add_actor__the_secret_is_stored_nowhere() -> None:
    _, key, text = add()
    secret = text.split("_", 2)[2]
    row = Key.objects.filter(pk=key.pk).values().get()
    assert not any(secret in str(value) for value in row.values())


def test_add_actor__the_user_becomes_a_member() -> None:
    user = make_user()
    actor, _, _ = add(user=user)
    assert Membership.objects.get(user=user).organization == actor.organization
    add(user=user, organization=actor.organization, passname="second")
    assert Membership.objects.filter(user=user).count() == 1


def test_add_actor__passname_is_stored_in_lower_case() -> None:
    actor, _, _ = add(passname="Scout-2")
    assert actor.passname == "scout-2"
    with refused(PassnameTaken):
        add(passname="SCOUT-2", organization=actor.organization, user=actor.user)


@pytest.mark.parametrize("word", sorted(RESERVED_PASSNAMES))
def test_add_actor__reserved(word: str) -> None:
    organization, user = make_organization(), make_user()
    with refused(PassnameReserved, f"'{word}'"):
        add(passname=word, organization=organization, user=user)
    with refused(PassnameReserved, f"'{word}'"):
        add(passname=word.upper(), organization=organization, user=user)


def test_add_actor__the_named_reserved_words_are_all_there() -> None:
    named = "admin system workforce human root operator anonymous everyone all local me none null"
    assert set(named.split()) <= RESERVED_PASSNAMES


@pytest.mark.parametrize(
    "passname", ["", " ", "a b", "a_b", "a.b", "-a", "a--b", "nul", "a" * 65, "a\x00", "\ud800", "ä"]
)
def test_add_actor__passname_out_of_rule(passname: str) -> None:
    organization, user = make_organization(), make_user()
    with refused(InvalidInput, "passname", "rule for names"):
        add(passname=passname, organization=organization, user=user)


def test_add_actor__taken_leaves_not_even_a_membership() -> None:
    actor, _, _ = add()
    stranger = make_user()
    with refused(PassnameTaken, "'scout'", "is taken", actor.organization.slug):
        add(organization=actor.organization, user=stranger)


def test_add_actor__a_retired_passname_is_never_used_again() -> None:
    actor, _, _ = add()
    retire_actor(organization=actor.organization, passname="scout")
    with refused(PassnameTaken, "retired", "never used again"):
        add(organization=actor.organization, user=actor.user)


def test_add_actor__the_same_passname_in_another_organization() -> None:
    assert add()[0].passname == add()[0].passname
    assert Actor.objects.filter(passname="scout").count() == 2


@pytest.mark.parametrize(
    ("changes", "error", "word"),
    [
        ({"grants": ["flows:raed"]}, UnknownGrant, "did you mean 'flows:read'"),
        ({"grants": ["flows:read", "*"]}, UnknownGrant, "'*'"),
        ({"kind": "robot"}, InvalidInput, "kind"),
        ({"expires_days": 0}, InvalidInput, "expires"),
        ({"expires_days": -1}, InvalidInput, "expires"),
        ({"expires_days": 36_501}, InvalidInput, "expires"),
        ({"display_name": "d" * 201}, InvalidInput, "displayName"),
        ({"display_name": "a\x00"}, InvalidInput, "displayName"),
        ({"seat_id": "Not A Seat"}, InvalidInput, "seatId"),
    ],
)
def test_add_actor__refused(changes: dict[str, Any], error: type[Exception], word: str) -> None:
    organization, user = make_organization(), make_user()
    with refused(error, word):
        add(organization=organization, user=user, **changes)


def test_add_actor__every_grant_once_in_their_order() -> None:
    _, key, _ = add(grants=[*reversed(Grant.values), *Grant.values])
    assert key.grants == Grant.values


def test_add_actor__expiry() -> None:
    _, key, _ = add(expires_days=36_500)
    assert key.expires_at is not None
    assert (key.expires_at - key.created_at).days == 36_500


def test_freeze_actor__and_unfreeze() -> None:
    actor, _ = make_actor()
    organization = actor.organization
    frozen = freeze_actor(organization=organization, passname=actor.passname.upper())
    assert frozen.frozen_at is not None
    assert Actor.objects.get(pk=actor.pk).frozen_at == frozen.frozen_at
    assert Key.objects.get().revoked_at is None
    assert unfreeze_actor(organization=organization, passname=actor.passname).frozen_at is None
    assert Actor.objects.get(pk=actor.pk).frozen_at is None


def test_freeze_actor__twice() -> None:
    actor, _ = make_actor()
    freeze_actor(organization=actor.organization, passname=actor.passname)
    with refused(AlreadyFrozen, f"'{actor.passname}'", "since", "UTC"):
        freeze_actor(organization=actor.organization, passname=actor.passname)


def test_unfreeze_actor__not_frozen() -> None:
    actor, _ = make_actor()
    with refused(NotFrozen, f"'{actor.passname}'"):
        unfreeze_actor(organization=actor.organization, passname=actor.passname)


def test_retire_actor__revokes_its_keys_and_keeps_the_row() -> None:
    actor, _ = make_actor()
    other, _ = make_actor(organization=actor.organization)
    retired = retire_actor(organization=actor.organization, passname=actor.passname)
    assert retired.retired_at is not None
    assert Key.objects.get(actor=actor).revoked_at == retired.retired_at
    assert Key.objects.get(actor=other).revoked_at is None


def test_retire_actor__a_frozen_one() -> None:
    actor, _ = make_actor()
    freeze_actor(organization=actor.organization, passname=actor.passname)
    assert retire_actor(organization=actor.organization, passname=actor.passname).retired_at is not None


@pytest.mark.parametrize("call", [freeze_actor, unfreeze_actor, retire_actor])
@pytest.mark.parametrize("frozen", [False, True])
def test_verbs__a_retired_actor(call: Any, frozen: bool) -> None:
    actor, _ = make_actor()
    if frozen:
        freeze_actor(organization=actor.organization, passname=actor.passname)
    retire_actor(organization=actor.organization, passname=actor.passname)
    with refused(ActorRetired, f"'{actor.passname}'", "final"):
        call(organization=actor.organization, passname=actor.passname)


@pytest.mark.parametrize("call", [freeze_actor, unfreeze_actor, retire_actor])
def test_verbs__an_unknown_passname_names_the_nearest_here(call: Any) -> None:
    organization = make_organization()
    make_actor(organization=organization, passname="scout")
    make_actor(passname="scuot")  # of another organization: never named
    with refused(UnknownPassname, "'scuot'", "did you mean 'scout'"):
        call(organization=organization, passname="scuot")
    with refused(UnknownPassname):
        call(organization=organization, passname="scout\x00")
    with refused(UnknownPassname, "'zzzzzz'"):
        call(organization=organization, passname="zzzzzz")


@pytest.mark.parametrize("call", [freeze_actor, unfreeze_actor, retire_actor])
def test_verbs__another_organizations_actor_is_unknown(call: Any) -> None:
    make_actor(passname="scout")
    organization = make_organization()
    with refused(UnknownPassname):
        call(organization=organization, passname="scout")
