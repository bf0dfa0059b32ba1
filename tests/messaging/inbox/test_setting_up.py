"""Setting up over REST, with a browser session, and from the shell."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from messaging.inbox.models import Inbox, InboxEvent, Participation
from tests.clients import Api, problem
from tests.factories import make_organization, make_user
from tests.messaging.inbox.conftest import Mate, check_counters, done
from tests.workforce.commands.running import refused, run
from workforce.models import Actor, Key, Membership, Organization, User
from workforce.services.organizations import ensure_membership


class Browser:
    """A logged-in user of an organization."""

    def __init__(self, organization: Organization, role: Membership.Role, name: str) -> None:
        user = make_user(name)
        ensure_membership(user=user, organization=organization, role=role)
        self.client = Client()
        self.client.force_login(user)

    def call(self, method: str, path: str, body: Any = None) -> HttpResponse:
        return self.client.generic(
            method,
            path,
            data=b"" if body is None else __import__("json").dumps(body),
            content_type="application/json",
        )


@pytest.fixture
def operator(organization: Organization) -> Browser:
    return Browser(organization, Membership.Role.OPERATOR, "olga")


@pytest.fixture
def owner(organization: Organization) -> Browser:
    return Browser(organization, Membership.Role.OWNER, "olga")


def test_rest__from_an_inbox_to_a_message(organization: Organization, owner: Browser) -> None:
    created = owner.call("POST", "/api/inboxes/", {"slug": "desk", "duplicateWindow": 30})
    assert done(created, 201)["duplicateWindow"] == 30
    assert created["Location"] == "/api/inboxes/desk"
    keys = {}
    for name in ("ada", "bob"):
        made = done(
            owner.call("POST", "/api/actors", {"passname": name, "inbox": "desk", "scope": "write"}), 201
        )
        assert list(made) == ["passname", "key", "prefix", "inbox", "scope", "grants"]
        assert (made["inbox"], made["scope"]) == ("desk", "write")
        keys[name] = Api(made["key"])
    body = {"type": "request", "topic": "a", "payload": 1}
    message = done(keys["ada"].post("/api/inboxes/desk/messages/", body), 201)
    assert [entry["passname"] for entry in message["recipients"]] == ["bob"]
    people = done(owner.call("GET", "/api/inboxes/desk/participants"))["items"]
    assert [(row["passname"], row["state"], row["open"]) for row in people] == [
        ("ada", "active", 0),
        ("bob", "active", 1),
    ]
    assert people == done(keys["bob"].get("/api/inboxes/desk/participants"))["items"]
    left = done(owner.call("DELETE", "/api/inboxes/desk/participants/bob"))
    assert (left["state"], left["open"]) == ("left", 1)
    assert keys["bob"].get("/api/inboxes/desk/queue").status_code == 404
    problem(owner.call("DELETE", "/api/inboxes/desk/participants/bob"), 409, "not-joined")
    done(owner.call("POST", "/api/inboxes/desk/participants", {"passname": "bob"}), 201)
    problem(owner.call("POST", "/api/inboxes/desk/participants", {"passname": "bob"}), 409, "already-joined")
    problem(
        owner.call("POST", "/api/inboxes/desk/participants", {"passname": "bop"}),
        422,
        "unknown-passname",
        "bob",
    )
    problem(owner.call("POST", "/api/inboxes", {"slug": "desk"}), 409, "inbox-taken")
    problem(owner.call("POST", "/api/inboxes", {"slug": "De sk"}), 400, "invalid-input")
    assert done(owner.call("PATCH", "/api/inboxes/desk", {"duplicateWindow": None}))["duplicateWindow"] == 600
    problem(owner.call("PATCH", "/api/inboxes/desk", {"duplicateWindow": 86_401}), 400, "invalid-input")
    check_counters(Inbox.objects.get())


def test_rest__who_calls_is_for_owners(inbox: Inbox, operator: Browser, coder: Mate) -> None:
    prefix = coder.actor.keys.get().prefix
    actors, keys, users = Actor.objects.count(), Key.objects.count(), User.objects.count()
    for path, body in [
        ("/api/actors", {"passname": "mine", "user": "ada", "grants": ["flows:write"]}),
        *[(f"/api/actors/coder/{act}", {}) for act in ("freeze", "unfreeze", "retire", "rotate")],
        (f"/api/keys/{prefix}/revoke", {}),
    ]:
        problem(operator.call("POST", path, body), 403, "not-allowed", "owners")
    assert (Actor.objects.count(), Key.objects.count(), User.objects.count()) == (actors, keys, users)
    assert coder.get("queue").status_code == 200
    assert len(done(operator.call("GET", "/api/actors"))["items"]) == 4


def test_rest__an_owner_adds_actors_for_members_alone(
    organization: Organization, inbox: Inbox, owner: Browser
) -> None:
    member = Browser(organization, Membership.Role.MEMBER, "mel")
    elsewhere = Browser(make_organization("elsewhere"), Membership.Role.MEMBER, "sam")
    assert done(owner.call("POST", "/api/actors", {"passname": "hers", "user": "mel"}), 201)["key"]
    assert done(owner.call("POST", "/api/actors", {"passname": "own", "user": "olga"}), 201)["key"]
    places, users = Membership.objects.count(), User.objects.count()
    for name in ("sam", "nobody-yet", "MEL"):
        refused = owner.call("POST", "/api/actors", {"passname": "spy", "user": name})
        assert f"'{name}' is no member of" in problem(refused, 400, "invalid-input")["errors"][0]["message"]
    assert (Membership.objects.count(), User.objects.count()) == (places, users)
    assert not Actor.objects.filter(passname="spy").exists()
    problem(member.call("POST", "/api/actors", {"passname": "spy"}), 403, "not-allowed")
    User.objects.filter(username="olga").update(is_superuser=True)
    assert done(owner.call("POST", "/api/actors", {"passname": "any", "user": "sam"}), 201)["key"]
    assert elsewhere.call("GET", "/api/actors").status_code == 403


@pytest.mark.parametrize("mode", ["open", "keys"])
def test_rest__a_user_that_is_named_must_be_the_caller(
    settings: Any, inbox: Inbox, owner: Browser, coder: Mate, mode: str
) -> None:
    settings.WORKFORCE_AUTH = mode
    body = {"passname": "new", "userId": "sam"}
    problem(owner.call("POST", "/api/actors", body), 403, "user-mismatch")
    problem(owner.call("POST", "/api/inboxes?userId=sam", {"slug": "desk"}), 403, "user-mismatch")
    problem(coder.api.get("/api/inboxes?userId=sam"), 403, "user-mismatch")
    assert not Actor.objects.filter(passname="new").exists()
    assert done(owner.call("POST", "/api/actors", body | {"userId": "olga"}), 201)["passname"] == "new"


def test_rest__actors_and_keys(inbox: Inbox, owner: Browser, coder: Mate) -> None:
    assert done(owner.call("POST", "/api/actors/CODER/freeze"))["state"] == "frozen"
    problem(coder.get("queue"), 403, "frozen")
    problem(owner.call("POST", "/api/actors/coder/freeze"), 409, "already-frozen")
    assert done(owner.call("POST", "/api/actors/coder/unfreeze"))["inboxes"] == ["release"]
    rotated = done(owner.call("POST", "/api/actors/coder/rotate"), 201)
    problem(coder.get("queue"), 401, "key-revoked")
    assert Api(rotated["key"]).get("/api/inboxes/release/queue").status_code == 200
    assert done(owner.call("POST", f"/api/keys/{rotated['prefix']}/revoke"))["passname"] == "coder"
    problem(owner.call("POST", f"/api/keys/{rotated['prefix']}/revoke"), 409, "already-revoked")
    problem(owner.call("POST", "/api/keys/none/revoke"), 404, "unknown-key")
    assert done(owner.call("POST", "/api/actors/coder/retire"))["state"] == "retired"
    problem(owner.call("POST", "/api/actors/coder/rotate"), 409, "actor-retired")
    rows = done(owner.call("GET", "/api/actors"))["items"]
    assert [row["passname"] for row in rows] == ["boss", "coder", "planner", "reviewer"]
    kinds = list(InboxEvent.objects.filter(passname="coder").order_by("id").values_list("kind", "operator"))
    assert kinds[2:] == [
        (kind, "olga") for kind in ("frozen", "unfrozen", "key-revoked", "key-issued", "key-revoked")
    ]


def test_rest__schemas(inbox: Inbox, operator: Browser, planner: Mate) -> None:
    body = {"type": "info", "topic": "a", "schema": {"type": "integer"}}
    assert done(operator.call("PUT", "/api/inboxes/release/schemas", body))["schema"] == {"type": "integer"}
    assert [row["topic"] for row in done(planner.get("schemas"))["items"]] == ["a"]
    problem(planner.try_send("x", type="info", topic="a"), 422, "schema-mismatch")
    problem(
        operator.call("PUT", "/api/inboxes/release/schemas", {**body, "schema": {"type": "x"}}),
        422,
        "bad-schema",
    )
    assert operator.call("DELETE", "/api/inboxes/release/schemas/info/a").status_code == 204
    problem(operator.call("DELETE", "/api/inboxes/release/schemas/info/a"), 404, "no-schema")
    planner.send("x", type="info", topic="a")


def test_rest__members_and_strangers_may_not(inbox: Inbox, team: dict[str, Mate]) -> None:
    member = Browser(inbox.organization, Membership.Role.MEMBER, "mel")
    stranger = Browser(make_organization("elsewhere"), Membership.Role.OWNER, "sam")
    for method, path, body in [
        ("POST", "/api/inboxes/release/participants", {"passname": "coder"}),
        ("PATCH", "/api/inboxes/release", {"duplicateWindow": 5}),
        ("GET", "/api/inboxes/release", None),
    ]:
        problem(member.call(method, path, body), 403, "not-allowed")
        problem(stranger.call(method, path, body), 404, "not-found")
    problem(member.call("POST", "/api/actors/coder/freeze"), 403, "not-allowed")
    problem(stranger.call("POST", "/api/actors/coder/freeze"), 422, "unknown-passname")


@pytest.mark.parametrize("mode", ["open", "keys"])
def test_rest__without_a_login(settings: Any, inbox: Inbox, mode: str) -> None:
    settings.WORKFORCE_AUTH = mode
    problem(Api().post("/api/inboxes", {"slug": "mine"}), 401, "unauthenticated")
    problem(Api().post("/api/actors/coder/freeze"), 401, "unauthenticated")


@pytest.fixture
def shell(settings: Any, db: None) -> None:
    settings.DEFAULT_ORGANIZATION = "default"
    settings.WORKFORCE_AUTH = "open"


def test_shell__sets_up_an_inbox(shell: None) -> None:
    assert "/api/inboxes/desk/" in run("inbox", "create", "desk").stdout
    made = run("actor", "add", "scout", "--inbox", "desk", "--scope", "write", "--format", "json").json
    assert {name: made[name] for name in ("passname", "inbox", "scope")} == {
        "passname": "scout", "inbox": "desk", "scope": "write",
    }  # fmt: skip
    assert made["grants"] == ["inbox:read", "inbox:write"]
    assert Api(made["key"]).get("/api/inboxes/desk/access/").json()["scopes"] == ["read", "write"]
    reader = run("actor", "add", "reader", "--inbox", "desk", "--kind", "person", "--format", "json").json
    assert Api(reader["key"]).get("/api/inboxes/desk/access/").json()["scopes"] == ["read"]
    rotated = run("key", "rotate", "scout", "--format", "json").json
    assert (rotated["inbox"], rotated["scope"], rotated["grants"]) == ("desk", "write", made["grants"])
    run("actor", "leave", "scout", "--inbox", "desk")
    assert Api(rotated["key"]).get("/api/inboxes/desk/access/").status_code == 404
    run("actor", "join", "scout", "--inbox", "desk")
    run("actor", "freeze", "scout")
    people = run("inbox", "participants", "desk", "--format", "json").json["items"]
    assert [(row["passname"], row["state"]) for row in people] == [("reader", "active"), ("scout", "frozen")]
    run("actor", "retire", "scout")
    assert run("inbox", "participants", "desk").stdout.split()[:5] == [
        "reader",
        "active",
        "0",
        "open",
        "scout",
    ]
    assert "scout   retired  0 open" in run("inbox", "participants", "desk").stdout
    assert run("inbox", "window", "desk", "0", "--format", "json").json["duplicateWindow"] == 0
    assert [row["inbox"] for row in run("inbox", "list", "--format", "json").json["items"]] == ["desk"]
    kinds = list(InboxEvent.objects.filter(passname="scout").order_by("id").values_list("kind", flat=True))
    assert kinds == [
        "joined",
        "key-issued",
        "key-revoked",
        "key-issued",
        "left",
        "joined",
        "frozen",
        "key-revoked",
    ]


def test_shell__refusals(shell: None) -> None:
    run("inbox", "create", "desk")
    run("actor", "add", "scout", "--inbox", "desk")
    with refused("inbox-taken", "desk"):
        run("inbox", "create", "desk")
    with refused("invalid-input", "slug"):
        run("inbox", "create", "De sk")
    with refused("invalid-input", "duplicateWindow"):
        run("inbox", "create", "other", "--window", "86401")
    with refused("unknown-inbox", "did you mean 'desk'"):
        run("actor", "add", "other", "--inbox", "dusk")
    with refused("already-joined"):
        run("actor", "join", "scout", "--inbox", "desk")
    with refused("unknown-passname"):
        run("actor", "leave", "nobody", "--inbox", "desk")
    run("actor", "leave", "scout", "--inbox", "desk")
    with refused("not-joined"):
        run("actor", "leave", "scout", "--inbox", "desk")
    run("actor", "retire", "scout")
    with refused("actor-retired"):
        run("actor", "join", "scout", "--inbox", "desk")
    assert Participation.objects.count() == 1
