"""``manage.py key``."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import make_actor, make_organization
from tests.workforce.commands.running import refused, run
from workforce.errors import KeyRevoked
from workforce.keys import parse_key
from workforce.models import Key, Organization
from workforce.services.authenticating import authenticate_key

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def default_organization(settings: Any) -> Organization:
    settings.DEFAULT_ORGANIZATION = "default"
    return make_organization("default")


@pytest.fixture
def old_key(default_organization: Organization) -> str:
    """The text of the key of ``scout``."""
    return make_actor(organization=default_organization, passname="scout", grants=["flows:read"])[1]


def test_key_rotate__the_new_key_counts_and_the_old_one_does_not(old_key: str) -> None:
    printed = run("key", "rotate", "scout")
    text = printed.stdout.removesuffix("\n")
    assert authenticate_key(text=text, passname_header="scout").grants == frozenset({"flows:read"})
    assert text not in printed.stderr
    with pytest.raises(KeyRevoked):
        authenticate_key(text=old_key, passname_header=None)


def test_key_rotate__json_is_that_of_actor_add(old_key: str) -> None:
    answer = run("key", "rotate", "scout", "--format", "json").json
    assert list(answer) == ["passname", "key", "prefix", "grants"]
    assert (answer["passname"], answer["grants"]) == ("scout", ["flows:read"])
    parsed = parse_key(answer["key"])
    assert parsed is not None
    assert parsed[0] == answer["prefix"] != old_key.split("_")[1]


def test_key_issue__beside_the_old_one(old_key: str) -> None:
    answer = run("key", "issue", "scout", "--grant", "boards:read", "--expires", "3", "--format", "json").json
    assert answer["grants"] == ["boards:read"]
    assert authenticate_key(text=answer["key"], passname_header=None).grants == frozenset({"boards:read"})
    assert authenticate_key(text=old_key, passname_header=None).grants == frozenset({"flows:read"})


def test_key_revoke__by_prefix(old_key: str) -> None:
    prefix = old_key.split("_")[1]
    assert run("key", "revoke", prefix).stdout == f"{prefix}: revoked\n"
    with pytest.raises(KeyRevoked):
        authenticate_key(text=old_key, passname_header=None)


def test_key__refused(old_key: str) -> None:
    run("key", "revoke", old_key)
    with refused("already-revoked", "UTC", "final"):
        run("key", "revoke", old_key)
    with refused("unknown-key", "'000000000000'", "key list"):
        run("key", "revoke", "000000000000")
    with refused("unknown-passname", "did you mean 'scout'"):
        run("key", "rotate", "scuot")
    with refused("unknown-passname", "did you mean 'scout'"):
        run("key", "list", "scuot")
    with refused("unknown-grant", "did you mean 'boards:read'"):
        run("key", "issue", "scout", "--grant", "board:read")
    run("actor", "retire", "scout")
    with refused("actor-retired", "'scout'"):
        run("key", "rotate", "scout")


def test_key__of_another_organization() -> None:
    make_organization("acme")
    _, text = make_actor(passname="stranger")
    with refused("unknown-key"):
        run("key", "revoke", text, "--organization", "acme")
    with refused("unknown-organization", "did you mean 'acme'"):
        run("key", "revoke", text, "--organization", "acne")


def test_key_list__shows_states_and_no_secret(old_key: str, default_organization: Organization) -> None:
    make_actor(organization=default_organization, passname="abe", grants=["boards:read", "boards:write"])
    make_actor(passname="stranger")
    new = run("key", "rotate", "scout").stdout.strip()
    authenticate_key(text=new, passname_header=None)
    printed = run("key", "list")
    rows = [line.split() for line in printed.stdout.splitlines()]
    assert [row[1:3] for row in rows] == [["abe", "live"], ["scout", "revoked"], ["scout", "live"]]
    assert "boards:read boards:write" in printed.stdout
    one = run("key", "list", "SCOUT", "--format", "json")
    assert [item["state"] for item in one.json["items"]] == ["revoked", "live"]
    assert one.json["items"][0]["revokedAt"] is not None
    assert one.json["items"][1]["lastUsedAt"] is not None
    for key in Key.objects.all():
        assert key.digest not in printed.stdout + one.stdout
    for text in (old_key, new):
        assert text.split("_", 2)[2] not in printed.stdout + one.stdout
