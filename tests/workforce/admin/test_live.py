"""Following a session in the admin, and speaking in it: who may, what is shown, and that words stay words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.workforce.admin.conftest import World, post
from workforce.models import Item, Request, Session
from workforce.services.items import append_item
from workforce.waits import RESUME_META, WAIT_FOR

EVIL = "<script>alert(1)</script>"


def url(world: World, name: str) -> str:
    return f"/admin/workforce/session/{world.session.pk}/{name}/"


def look(client: Client, world: World, after: int = 0) -> Any:
    answer = client.get(url(world, "stream"), **{RESUME_META: str(after)})
    assert answer.status_code == 200
    return answer


def say(client: Client, world: World, text: str = "Hello.", **more: str) -> Any:
    return client.post(url(world, "say"), {"text": text, **more}, headers={"X-Requested-With": "fetch"})


def test_stream__brings_what_came_after_as_text(operator: Client, world: World) -> None:
    last = world.session.items.order_by("-seq").values_list("seq", flat=True)[0]
    post(world.session, EVIL)
    answer = look(operator, world, last)
    shown = answer.json()
    assert [item["seq"] for item in shown["items"]] == [last + 1]
    assert EVIL not in shown["items"][0]["html"]
    assert "&lt;script&gt;" in shown["items"][0]["html"]
    assert (shown["more"], shown["after"]) == (False, last)
    assert f"session:{world.session.pk}=" in answer[WAIT_FOR]


def test_stream__without_the_server_that_holds_it_is_over(operator: Client, world: World) -> None:
    assert operator.get(url(world, "stream")).status_code == 204


def test_stream__names_who_works(operator: Client, world: World) -> None:
    child = world.session.children.first()
    assert child is not None
    child.requests.create(action="onMailboxPost", source="dispatch", serial=True)
    assert "is working" in look(operator, world).json()["runs"]


@pytest.mark.parametrize("name", ["stream", "say"])
def test_both__are_behind_the_wall(
    client: Client, operator: Client, world: World, elsewhere: World, name: str
) -> None:
    assert client.get(url(world, name), **{RESUME_META: "0"}).status_code == 403
    assert client.post(url(world, name), {"text": "x"}).status_code == 403
    assert operator.get(url(elsewhere, name), **{RESUME_META: "0"}).status_code == 404
    assert operator.post(url(elsewhere, name), {"text": "x"}).status_code == 404


def test_say__is_a_post_of_the_owner_and_keeps_who_it_was(operator: Client, world: World) -> None:
    assert say(operator, world, "From the page.\r\nTwo lines.").json() == {"refused": ""}
    line = Item.objects.filter(session=world.session, line_seq__isnull=False).latest("seq")
    assert (line.body, line.principal) == ("From the page.\nTwo lines.", world.session.owner.username)
    request = Request.objects.get(uid=line.request_id)
    assert (request.source, request.action) == ("admin", "post")
    assert request.metadata["by"]


def test_say__twice_with_one_key_is_once(operator: Client, world: World) -> None:
    for _ in range(2):
        assert say(operator, world, "Once.", once="abc").status_code == 200
    assert Item.objects.filter(body="Once.").count() == 1


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"text": " "}, "invalid-input"), ({"author": "not.there"}, "author-not-a-member")],
)
def test_say__a_refusal_is_said_and_writes_no_line(
    operator: Client, world: World, fields: dict[str, str], code: str
) -> None:
    before = Item.objects.count()
    answer = say(operator, world, **fields)
    assert answer.status_code == 409
    assert answer.json()["refused"].startswith(f"{code}: ")
    assert Item.objects.count() == before


def test_say__without_a_script_comes_back_to_the_page(operator: Client, world: World) -> None:
    page = f"/admin/workforce/inventorymailbox/{world.mailbox.pk}/change/"
    answer = operator.post(url(world, "say"), {"text": "Plain.", "next": page})
    assert (answer.status_code, answer["Location"]) == (302, page)
    answer = operator.post(url(world, "say"), {"text": "Plain.", "next": "https://elsewhere.example/"})
    assert answer["Location"].startswith("/admin/workforce/session/")
    assert operator.get(url(world, "say")).status_code == 405


def test_say__where_the_kind_is_gone_the_page_stays_readable(operator: Client, world: World) -> None:
    Session.objects.filter(pk=world.session.pk).update(kind="left-the-settings")
    page = operator.get(f"/admin/workforce/session/{world.session.pk}/change/")
    assert page.status_code == 200
    assert url(world, "say") not in page.content.decode()
    before = Item.objects.count()
    assert say(operator, world, "Anybody?").status_code == 403
    assert Item.objects.count() == before


def test_session__shows_each_sort_of_item(operator: Client, world: World) -> None:
    session = world.session
    request = Request.objects.filter(session=session).earliest("pk")
    shown: list[tuple[Item.Type, str, dict[str, Any]]] = [
        (Item.Type.MESSAGE, "", {"role": "assistant", "author": "acme.lead", "text": f"An answer. {EVIL}"}),
        (Item.Type.TOOL_OUTPUT, "", {"tool": "read-document", "input": {"name": "a"}, "output": EVIL}),
        (Item.Type.TOOL_OUTPUT, "", {"tool": "messageWorker", "input": {"to": "acme.b", "text": "Psst."}}),
        (Item.Type.ERROR, "", {"code": "model-not-configured", "message": "set one"}),
        (
            Item.Type.COMPONENT,
            "mailbox-route",
            {"member": "acme.lead", "by": "evaluated", "postId": "x", "score": 0.5},
        ),
        (Item.Type.COMPONENT, "mailbox-route", {"by": "failed", "reason": "nobody fits"}),
        (
            Item.Type.COMPONENT,
            "coordinator-route",
            {"by": "everyone", "delegates": [{"worker": "acme.scout", "outcome": "handed"}, 7]},
        ),
        (Item.Type.COMPONENT, "coordinator-route", {"by": "own", "delegates": EVIL}),
        (Item.Type.MESSAGE, "", {"role": "worker", "author": "acme.clerk", "text": "A delegate's answer."}),
        (
            Item.Type.COMPONENT,
            "task-change",
            {"board": "triage", "title": "Look", "kind": "added", "by": "ada"},
        ),
        (Item.Type.COMPONENT, "of-a-plugin", {"odd": EVIL}),
        (Item.Type.MESSAGE, "", ["not", "an", "object"]),  # type: ignore[list-item]
    ]
    session = Session.objects.get(pk=session.pk)
    for kind, component, data in shown:
        append_item(session=session, request=request, type=kind, component=component, data=data)
    pages = [
        f"/admin/workforce/session/{session.pk}/change/",
        f"/admin/workforce/inventorymailbox/{world.mailbox.pk}/change/",
    ]
    for page in pages:
        text = operator.get(page).content.decode()
        assert EVIL not in text
        for words in ("An answer.", "read-document", "To acme.b: Psst.", "model-not-configured", "evaluated 0.50",
                      "nobody fits", "triage", "of-a-plugin", "acme.scout", "acme.clerk"):  # fmt: skip
            assert words in text, (page, words)
