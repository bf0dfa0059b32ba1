"""``manage.py actor``."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError

from tests.factories import make_actor, make_organization
from tests.workforce.commands.running import refused, run
from workforce.clock import to_ms
from workforce.keys import parse_key
from workforce.models import Actor, Key, Organization, User
from workforce.services.authenticating import authenticate_key

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def defaults(settings: Any) -> None:
    settings.DEFAULT_ORGANIZATION = "default"
    settings.DEFAULT_USER = "local"
    settings.WORKFORCE_AUTH = "open"


def test_actor_add__only_the_key_on_stdout() -> None:
    printed = run("actor", "add", "Scout", "--grant", "flows:read")
    text = printed.stdout.removesuffix("\n")
    assert parse_key(text) is not None
    assert "Authorization: Bearer $KEY" in printed.stderr
    assert text not in printed.stderr
    assert "Warning" not in printed.stderr
    caller = authenticate_key(text=text, passname_header="scout")
    assert (caller.user.username, caller.organization.slug) == ("local", "default")
    assert caller.grants == frozenset({"flows:read"})


def test_actor_add__json() -> None:
    printed = run(
        *["actor", "add", "scout", "--grant", "flows:write", "--grant", "flows:read", "--format", "json"]
    )
    key = Key.objects.get()
    assert list(printed.json) == ["passname", "key", "prefix", "grants"]
    assert printed.json["passname"] == "scout"
    assert printed.json["prefix"] == key.prefix
    assert printed.json["grants"] == ["flows:read", "flows:write"]
    assert parse_key(printed.json["key"]) == (key.prefix, key.digest)


def test_actor_add__every_option() -> None:
    acme = make_organization("acme")
    run(
        *["actor", "--organization", "acme", "add", "scout", "--user", "ada", "--kind", "person"],
        *["--display-name", "The Scout", "--expires", "30"],
    )
    actor, key = Actor.objects.get(), Key.objects.get()
    assert actor.organization == acme
    assert (actor.user.username, actor.kind, actor.display_name) == ("ada", "person", "The Scout")
    assert key.expires_at == key.created_at + timedelta(days=30)
    assert not Organization.objects.filter(slug="default").exists()


def test_actor_add__without_grants_it_may_do_nothing_and_says_so() -> None:
    printed = run("actor", "add", "scout")
    assert Key.objects.get().grants == []
    assert "Warning: this key has no grants" in printed.stderr
    assert "key issue scout --grant" in printed.stderr


def test_actor_add__two_actors_of_one_user() -> None:
    run("actor", "add", "one")
    run("actor", "add", "two")
    assert User.objects.count() == Organization.objects.count() == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["scout", "--grant", "flow:read"], "unknown-grant", "did you mean 'flows:read'"),
        (["admin"], "passname-reserved", "'admin'"),
        (["a_b"], "invalid-input", "passname"),
        (["scout", "--expires", "0"], "invalid-input", "expires"),
        (["scout", "--user", "u" * 151], "invalid-input", "151"),
        (["scout", "--user", " "], "invalid-input", "blank"),
        (["scout", "--display-name", "d" * 201], "invalid-input", "displayName"),
        (["scout", "--organization", "acme"], "unknown-organization", "organization create"),
    ],
)
def test_actor_add__refused_leaves_no_user_and_no_organization(
    words: list[str], code: str, said: str
) -> None:
    with refused(code, said):
        run("actor", "add", *words)
    assert not Organization.objects.exists()


def test_actor_add__taken() -> None:
    run("actor", "add", "scout")
    with refused("passname-taken", "'scout'"):
        run("actor", "add", "SCOUT", "--user", "stranger")


def test_actor_add__a_missing_default_organization_is_made_in_open_mode_only(settings: Any) -> None:
    settings.WORKFORCE_AUTH = "keys"
    make_organization("defaults")
    with refused("unknown-organization", "did you mean 'defaults'", "organization create"):
        run("actor", "add", "scout")
    settings.WORKFORCE_AUTH = "open"
    run("actor", "add", "scout")
    assert Actor.objects.get().organization.slug == "default"


@pytest.mark.parametrize("verb", [["list"], ["freeze", "scout"]])
def test_actor__other_verbs_make_no_organization(verb: list[str]) -> None:
    with refused("unknown-organization", "known: none"):
        run("actor", *verb)


@pytest.mark.parametrize(
    "words",
    [[], ["add"], ["add", "x", "--kind", "robot"], ["add", "x", "--expires", "soon"], ["delete", "x"]],
)
def test_actor__a_wrong_command_line(words: list[str]) -> None:
    with pytest.raises(CommandError):
        run("actor", *words)
    assert not Actor.objects.exists()


def test_actor_freeze_unfreeze_retire__each_says_the_state() -> None:
    run("actor", "add", "scout")
    assert run("actor", "freeze", "scout").stdout == "scout: frozen\n"
    assert run("actor", "unfreeze", "SCOUT").stdout == "scout: active\n"
    answer = run("actor", "retire", "scout", "--format", "json").json
    assert answer == {
        "passname": "scout",
        "displayName": "",
        "kind": "agent",
        "state": "retired",
        "user": "local",
        "createdAt": to_ms(Actor.objects.get().created_at),
    }


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["freeze", "frozen"], "already-frozen"),
        (["unfreeze", "scout"], "not-frozen"),
        (["freeze", "gone"], "actor-retired"),
        (["unfreeze", "gone"], "actor-retired"),
        (["retire", "gone"], "actor-retired"),
        (["freeze", "scuot"], "unknown-passname"),
        (["unfreeze", "scuot"], "unknown-passname"),
        (["retire", "scuot"], "unknown-passname"),
    ],
)
def test_actor_verbs__refused(words: list[str], code: str) -> None:
    for passname in ("scout", "frozen", "gone"):
        run("actor", "add", passname)
    run("actor", "freeze", "frozen")
    run("actor", "retire", "gone")
    with refused(code, f"'{words[1]}'"):
        run("actor", *words)


def test_actor_list__this_organization_only() -> None:
    organization = make_organization("default")
    make_actor(organization=organization, passname="zoe", kind="person", display_name="Zoe\x1b[2J")
    make_actor(organization=organization, passname="abe")
    make_actor(passname="stranger")
    run("actor", "freeze", "abe")
    lines = run("actor", "list").stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [["abe", "agent", "frozen"], ["zoe", "person", "active"]]
    assert "\x1b" not in lines[1]
    items = run("actor", "list", "--format", "json").json["items"]
    assert [item["passname"] for item in items] == ["abe", "zoe"]
