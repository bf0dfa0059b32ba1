"""Actors and keys: each button calls its service by POST, and a new key is shown once."""

from __future__ import annotations

import logging
import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.contrib.sessions.models import Session as BrowserSession
from django.http import HttpResponse
from django.test import Client

from tests.workforce.admin.conftest import Login, World
from workforce.models import Actor, Key, Membership
from workforce.services.actors import freeze_actor, retire_actor
from workforce.services.authenticating import authenticate_key

KEY = re.compile(rb"wfk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")
ACTOR_BUTTONS = ("issue-key", "rotate", "freeze", "unfreeze", "retire")


def actor_path(world: World, button: str) -> str:
    return f"/admin/workforce/actor/{world.actor.pk}/{button}/"


def revoke_path(world: World) -> str:
    return f"/admin/workforce/key/{world.key.pk}/revoke/"


def words(answer: HttpResponse) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def shown_key(answer: HttpResponse) -> str:
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    found = set(KEY.findall(answer.content))
    assert len(found) == 1
    return found.pop().decode()


def test_issue__the_key_is_shown_once_and_works(owner_client: Client, world: World) -> None:
    answer = owner_client.post(
        actor_path(world, "issue-key"), {"grants": ["flows:read"], "expires_days": "30"}
    )
    text = shown_key(answer)
    key = Key.objects.latest("pk")
    assert (key.actor, key.grants, key.prefix) == (world.actor, ["flows:read"], text.split("_")[1])
    assert key.expires_at is not None
    assert authenticate_key(text=text, passname_header=None).passname == world.actor.passname
    for path in (
        f"/admin/workforce/actor/{world.actor.pk}/change/",
        f"/admin/workforce/key/{key.pk}/change/",
    ):
        page = owner_client.get(path)
        assert page.status_code == 200
        assert text.encode() not in page.content
        assert key.digest.encode() not in page.content


def test_issue__the_key_is_in_no_log_message_or_session(
    owner_client: Client, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = owner_client.post(actor_path(world, "issue-key"), {"grants": ["flows:read"]})
    secret = shown_key(answer).split("_", 2)[2]
    kept = [caplog.text, words(answer), str(answer.headers), str(answer.cookies)]
    kept += [str(row.get_decoded()) for row in BrowserSession.objects.all()]
    kept += [f"{entry.change_message} {entry.object_repr}" for entry in LogEntry.objects.all()]
    assert LogEntry.objects.count() == 1
    assert not [text for text in kept if secret in text]


@pytest.mark.parametrize(
    "sent", [{"expires_days": "0"}, {"expires_days": "x"}, {"expires_days": "99999999"}, {"grants": ["fly"]}]
)
def test_issue__a_bad_form_is_refused_in_words(owner_client: Client, world: World, sent: dict) -> None:
    answer = owner_client.post(actor_path(world, "issue-key"), sent)
    assert answer.status_code == 302
    assert "(invalid-input)" in words(answer)
    assert world.actor.keys.count() == 1


def test_rotate__revokes_the_old_keys(owner_client: Client, world: World) -> None:
    text = shown_key(owner_client.post(actor_path(world, "rotate")))
    world.key.refresh_from_db()
    assert world.key.revoked_at is not None
    assert authenticate_key(text=text, passname_header=None).actor_id == world.actor.pk


def test_freeze_unfreeze_retire__change_the_actor(owner_client: Client, world: World) -> None:
    for button, frozen, retired in (
        ("freeze", True, False),
        ("unfreeze", False, False),
        ("retire", False, True),
    ):
        answer = owner_client.post(actor_path(world, button))
        assert answer["Location"].endswith(f"/actor/{world.actor.pk}/change/")
        world.actor.refresh_from_db()
        assert (world.actor.frozen_at is not None, world.actor.retired_at is not None) == (frozen, retired)


def test_revoke__refuses_the_key_and_says_so_twice(owner_client: Client, world: World) -> None:
    assert "is revoked" in words(owner_client.post(revoke_path(world)))
    world.key.refresh_from_db()
    assert world.key.revoked_at is not None
    assert "already-revoked" in words(owner_client.post(revoke_path(world)))


def test_button__a_refusal_is_a_message_in_its_words(owner_client: Client, world: World) -> None:
    freeze_actor(organization=world.organization, passname=world.actor.passname)
    assert "already-frozen" in words(owner_client.post(actor_path(world, "freeze")))
    retire_actor(organization=world.organization, passname=world.actor.passname)
    for button in ("issue-key", "rotate", "retire"):
        assert "actor-retired" in words(owner_client.post(actor_path(world, button)))


@pytest.mark.parametrize("button", ACTOR_BUTTONS)
def test_button__only_by_post_with_a_token(login: Login, world: World, button: str) -> None:
    path = actor_path(world, button)
    client = login("owner")
    assert client.get(path).status_code == 405
    assert client.head(path).status_code == 405
    strict = login("owner", enforce_csrf_checks=True)
    assert strict.post(path).status_code == 403
    world.actor.refresh_from_db()
    assert (world.actor.frozen_at, world.actor.retired_at, world.actor.keys.count()) == (None, None, 1)


@pytest.mark.parametrize("button", ACTOR_BUTTONS)
def test_button__operators_look_and_owners_act(
    login: Login, operator: Client, world: World, elsewhere: World, button: str
) -> None:
    path = actor_path(world, button)
    assert operator.post(path).status_code == 403
    assert (
        f"/{button}/".encode() not in operator.get(f"/admin/workforce/actor/{world.actor.pk}/change/").content
    )
    assert login("owner", at=elsewhere).post(path).status_code == 404
    assert login("owner", staff=False).post(path).status_code == 302
    assert world.actor.keys.filter(revoked_at=None).count() == 1


def test_revoke__not_for_operators_nor_others(
    login: Login, operator: Client, world: World, elsewhere: World
) -> None:
    assert operator.post(revoke_path(world)).status_code == 403
    assert login("owner", at=elsewhere).post(revoke_path(world)).status_code == 404
    assert login("owner").get(revoke_path(world)).status_code == 405
    world.key.refresh_from_db()
    assert world.key.revoked_at is None


def test_button__after_a_login_the_page_comes_not_the_button(world: World) -> None:
    answer = Client().post(actor_path(world, "freeze"))
    assert answer["Location"] == f"/admin/login/?next=/admin/workforce/actor/{world.actor.pk}/change/"


def add_form(world: World, **values: str) -> dict[str, object]:
    return {
        "organization": world.organization.pk, "passname": "new-bot", "user": world.user.username,
        "kind": "agent", "grants": ["inbox:read"], **values,
    }  # fmt: skip


def test_add__makes_the_actor_and_shows_its_key(owner_client: Client, world: World) -> None:
    assert owner_client.get("/admin/workforce/actor/add/").status_code == 200
    text = shown_key(owner_client.post("/admin/workforce/actor/add/", add_form(world, passname="New-Bot")))
    actor = Actor.objects.get(passname="new-bot")
    assert (actor.organization, actor.user) == (world.organization, world.user)
    assert authenticate_key(text=text, passname_header=None).grants == {"inbox:read"}


def test_add__a_refusal_keeps_the_form(owner_client: Client, world: World) -> None:
    for passname, code in ((world.actor.passname, "passname-taken"), ("admin", "passname-reserved")):
        answer = owner_client.post("/admin/workforce/actor/add/", add_form(world, passname=passname))
        assert answer.status_code == 200
        assert code in words(answer)
        assert f'value="{passname}"'.encode() in answer.content
    assert Actor.objects.filter(organization=world.organization).count() == 1


def test_add__an_owner_decides_about_members_only(
    owner_client: Client, superuser: Client, world: World, elsewhere: World
) -> None:
    strangers = add_form(world, user=elsewhere.user.username)
    answer = owner_client.post("/admin/workforce/actor/add/", strangers)
    assert b"There is no member of acme of this name." in answer.content
    foreign = add_form(world) | {"organization": elsewhere.organization.pk}
    assert owner_client.post("/admin/workforce/actor/add/", foreign).status_code == 200
    assert Actor.objects.count() == 2
    shown_key(superuser.post("/admin/workforce/actor/add/", strangers))
    assert Membership.objects.filter(organization=world.organization, user=elsewhere.user).exists()


def test_add__not_for_operators(operator: Client, world: World) -> None:
    assert operator.get("/admin/workforce/actor/add/").status_code == 403
    assert operator.post("/admin/workforce/actor/add/", add_form(world)).status_code == 403
    assert Actor.objects.count() == 1
