"""The operators' pages of inboxes and messages: what they show, what they do, what they cost."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from messaging.inbox.models import Inbox, InboxEvent, Message, Participation, PayloadSchema, Receipt
from messaging.inbox.receipts import State
from messaging.inbox.selectors.messages import open_standings_of
from messaging.inbox.services.opening import create_inbox, leave_inbox
from messaging.inbox.services.sending import Letter, send_message
from tests.clients import Api
from tests.factories import make_user
from tests.messaging.inbox.conftest import Mate, admit, check_counters, done
from workforce.models import Actor, Membership, User
from workforce.services.actors import freeze_actor, retire_actor
from workforce.services.organizations import ensure_membership

HOSTILE = "<script>alert(1)</script>"


def staff(mate: Mate, role: Membership.Role = Membership.Role.OPERATOR, user: User | None = None) -> Client:
    user = user or make_user(is_staff=True)
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    ensure_membership(user=user, organization=mate.inbox.organization, role=role)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def operator(planner: Mate) -> Client:
    return staff(planner)


def page(mate: Mate) -> str:
    return f"/admin/messaging/inbox/{mate.inbox.pk}/change/"


def letter_page(message: dict[str, Any]) -> str:
    return f"/admin/messaging/message/{message['id']}/change/"


def press(client: Client, mate: Mate, act: str, **data: str) -> str:
    answer = client.post(f"/admin/messaging/inbox/{mate.inbox.pk}/{act}/", data)
    assert answer.status_code == 302, answer.content[:500]
    return words(answer)


def words(answer: HttpResponse) -> str:
    """What the answer says; what was said before waits beside it for the next page."""
    return str(list(get_messages(answer.wsgi_request))[-1])


def test_page__who_owes_what_and_what_each_waits_for(
    operator: Client, planner: Mate, coder: Mate, boss: Mate
) -> None:
    asked = planner.send(HOSTILE, to=["coder", "boss"])
    coder.pull()
    done(coder.do(asked["id"], "complete"))
    Api(coder.key[:-1] + "_").get(f"{coder.path}/access")
    answer = operator.get(page(planner))
    text = answer.content.decode()
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)" in text
    people = {row["passname"]: row for row in answer.context["people"]}
    assert (people["boss"]["open"], people["coder"]["open"]) == (1, 0)
    assert people["planner"]["waits"] == 1
    assert answer.context["requests"][0]["waiting"] == {"named": [("boss", "pending")], "more": 0}
    assert [row["incident"].reason for row in answer.context["incidents"]] == ["unauthenticated"]
    for part in ('role="img"', "<title id=", "<desc id=", "half within"):
        assert part in text
    assert "http://" not in text.replace("http://testserver", "").replace("http://www.w3.org", "")


def test_page__names_the_first_of_many_whom_a_request_waits_for(operator: Client, planner: Mate) -> None:
    for number in range(14):
        admit(planner.inbox, f"bot-{number:02}")
    small, large = planner.send(to=["bot-03"]), planner.send()
    found = list(Message.objects.order_by("seq"))
    standings = open_standings_of(found, most=2)
    assert [[one.passname for one in standings[message.pk]] for message in found] == [
        ["bot-03"], ["coder", "reviewer"],
    ]  # fmt: skip
    requests = operator.get(page(planner)).context["requests"]
    assert [str(row["message"].pk) for row in requests] == [small["id"], large["id"]]
    assert [(len(row["waiting"]["named"]), row["waiting"]["more"]) for row in requests] == [(1, 0), (12, 5)]


def test_page__costs_the_same_however_much_there_is(operator: Client, planner: Mate, coder: Mate) -> None:
    asked = planner.send("1")
    coder.send("Why?", type="message", replyingTo=asked["id"])
    coder.pull()
    paths = [page(planner), letter_page(asked), "/admin/messaging/inbox/", "/admin/messaging/message/"]
    before = [_queries(operator, path) for path in paths]
    for number in range(12):
        admit(planner.inbox, f"new-{number}")
        more = planner.send(f"more {number}", approval=True)
        coder.send("Why?", type="message", replyingTo=asked["id"])
        done(coder.do(more["id"], "archive"))
        create_inbox(organization=planner.inbox.organization, slug=f"inbox-{number}")
    assert [_queries(operator, path) for path in paths] == before


def _queries(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(
        connection,
    ) as found:
        assert client.get(path).status_code == 200
    return len(found)


def test_add__makes_an_inbox_of_an_organization_that_one_runs(
    operator: Client, planner: Mate, elsewhere: Mate
) -> None:
    path = "/admin/messaging/inbox/add/"
    form = {"organization": planner.inbox.organization_id, "slug": "desk", "duplicate_window": ""}
    assert operator.get(path).status_code == 200
    for change in (
        {"slug": "De sk"},
        {"slug": "release"},
        {"slug": "x" * 65},
        {"slug": "\x00"},
        {"slug": ""},
        {"duplicate_window": "86401"},
        {"duplicate_window": "x"},
        {"organization": elsewhere.inbox.organization_id},
        {"organization": "x"},
    ):
        answer = operator.post(path, form | change)
        assert (answer.status_code, Inbox.objects.count()) == (200, 2), change
        assert b"wf-error" in answer.content, change
    answer = operator.post(path, form | {"duplicate_window": "30"})
    made = Inbox.objects.get(slug="desk")
    assert (answer["Location"], made.duplicate_window) == (f"/admin/messaging/inbox/{made.pk}/change/", 30)
    assert made.organization == planner.inbox.organization
    member = staff(planner, Membership.Role.MEMBER)
    assert (member.get(path).status_code, member.post(path, form).status_code) == (403, 403)


def test_acts__join_leave_window_and_schemas(operator: Client, planner: Mate, coder: Mate) -> None:
    assert "takes no part any more" in press(operator, planner, "leave", passname="coder")
    assert Participation.objects.get(actor=coder.actor).left_at is not None
    assert "takes part" in press(operator, planner, "join", passname="coder")
    assert "unknown-passname" in press(operator, planner, "join", passname="nobody-here")
    assert "within 30 seconds" in press(operator, planner, "window", seconds="30")
    assert "never" in press(operator, planner, "window", seconds="0")
    assert "86400" in press(operator, planner, "window", seconds="86401")
    assert "must fit" in press(
        operator, planner, "schema", type="info", topic="plan", schema='{"type": "string"}'
    )
    for schema in ("{", '{"type": "strong"}', '{"a": 1, "a": 2}', "[]"):
        assert "(" in press(operator, planner, "schema", type="info", topic="plan", schema=schema)
    assert PayloadSchema.objects.get().schema == {"type": "string"}
    assert "anything" in press(operator, planner, "unset-schema", type="info", topic="plan")
    assert "no-schema" in press(operator, planner, "unset-schema", type="info", topic="plan")
    for type, topic in (("info", "\x00"), ("\x00", "plan"), ("info", ""), ("", "plan"), ("info", "x" * 65)):
        assert "invalid-input" in press(operator, planner, "unset-schema", type=type, topic=topic)
    event = InboxEvent.objects.filter(kind="joined").latest("pk")
    assert event.operator == User.objects.latest("pk").username


def test_acts__freezing_is_an_owners(operator: Client, planner: Mate, coder: Mate) -> None:
    path = f"/admin/messaging/inbox/{planner.inbox.pk}/freeze/"
    assert operator.post(path, {"passname": "coder"}).status_code == 403
    owner = staff(planner, Membership.Role.OWNER)
    press(owner, planner, "freeze", passname="coder")
    assert coder.get("access").status_code == 403
    press(owner, planner, "unfreeze", passname="coder")
    assert coder.get("access").status_code == 200


def test_acts__hand_over_what_a_retired_actor_owes(operator: Client, planner: Mate, coder: Mate) -> None:
    asked = planner.send(to=["coder"])
    assert "still-takes-part" in press(operator, planner, "hand-over", owed_by="coder", to="boss")
    retire_actor(organization=planner.inbox.organization, passname="coder")
    assert "owes 1 more" in press(operator, planner, "hand-over", owed_by="coder", to="boss")
    receipt = Receipt.objects.get(message=asked["id"])
    assert (receipt.recipient.passname, receipt.handed_from_id) == ("boss", coder.actor.pk)
    check_counters(planner.inbox)


def test_walls__of_acts_and_pages(planner: Mate, elsewhere: Mate) -> None:
    foreign = staff(elsewhere)
    message = planner.send()
    assert foreign.get(page(planner)).status_code == 404
    assert foreign.get(letter_page(message)).status_code == 404
    assert foreign.post(letter_page(message).replace("change", "own"), {}).status_code == 404
    for act in ("join", "leave", "hand-over", "window", "schema", "unset-schema", "freeze"):
        path = f"/admin/messaging/inbox/{planner.inbox.pk}/{act}/"
        assert foreign.post(path, {"passname": "coder"}).status_code == 404, act
        assert foreign.get(path).status_code == 405
        assert Client(enforce_csrf_checks=True).post(path).status_code == 403
    listed = foreign.get("/admin/messaging/message/").content
    assert b"planner" not in listed


def test_message__as_a_thread_with_receipts(operator: Client, planner: Mate, coder: Mate) -> None:
    root = planner.send({"text": HOSTILE}, to=["coder", "boss"])
    reply = coder.send("Which?", type="message", replyingTo=root["id"], to=["planner"])
    done(coder.do(root["id"], "complete", {"note": f"Done. {HOSTILE}", "replyId": reply["id"]}))
    answer = operator.get(letter_page(reply))
    assert [row["message"].seq for row in answer.context["thread"]] == [1, 2]
    answer = operator.get(letter_page(root))
    text = answer.content.decode()
    assert HOSTILE not in text
    states = {row["passname"]: row["state"] for row in answer.context["receipts"]}
    assert states == {"coder": "completed", "boss": "pending"}
    assert letter_page(reply) in text
    assert "owed by nobody" not in text
    leave_inbox(inbox=planner.inbox, passname="boss")
    freeze_actor(organization=planner.inbox.organization, passname="coder")
    answer = operator.get(letter_page(root))
    assert {row["passname"]: row["gone"] for row in answer.context["receipts"]} == {
        "coder": "frozen", "boss": "left",
    }  # fmt: skip
    assert answer.content.decode().count("owed by nobody") == 1
    assert operator.post(letter_page(root), {}).status_code == 405


def test_message__long_threads_are_paged(operator: Client, planner: Mate) -> None:
    root = planner.send("0")
    for number in range(60):
        last = planner.send(str(number), replyingTo=root["id"])
    answer = operator.get(letter_page(root))
    assert len(answer.context["thread"]) == 26
    assert (answer.context["earlier"], answer.context["later"]) == (None, 27)
    seen = {row["message"].seq for row in answer.context["thread"]}
    at = answer.context["later"]
    while at is not None:
        answer = operator.get(letter_page(root) + f"?at={at}")
        seen |= {row["message"].seq for row in answer.context["thread"]}
        at = answer.context["later"]
    assert seen == set(range(1, 62))
    assert operator.get(letter_page(last) + "?at=x").status_code == 200


def test_search__by_id_thread_and_topic(operator: Client, planner: Mate) -> None:
    root = planner.send("0", topic="plan")
    planner.send("1", topic="build", replyingTo=root["id"])
    for term, found in ((root["id"], 2), ("build", 1), ("nothing", 0)):
        answer = operator.get(f"/admin/messaging/message/?q={term}")
        assert len(answer.context["cl"].result_list) == found, term
    for state, found in (("unsettled", 2), ("open", 2), ("done", 0)):
        answer = operator.get(f"/admin/messaging/message/?inbox={planner.inbox.pk}&state={state}")
        assert len(answer.context["cl"].result_list) == found, state


def test_own__as_an_actor_of_ones_own_and_nobody_else(planner: Mate, coder: Mate, boss: Mate) -> None:
    somebody = make_user("somebody", is_staff=True)
    Actor.objects.filter(pk=boss.actor.pk).update(user=somebody)
    client = staff(planner, user=somebody)
    asked = planner.send(to=["boss", "coder"], approval=True)
    mine = boss.send("Mine.", to=["coder"])
    path = letter_page(asked).replace("change", "own")
    acts = client.get(letter_page(asked)).context["acts"]
    assert [act["act"] for act in acts] == ["complete", "archive"]
    assert [act["act"] for act in client.get(letter_page(mine)).context["acts"]] == ["close"]
    for passname, act in (("coder", "complete"), ("planner", "close"), ("", "archive"), ("boss", "explode")):
        answer = client.post(path, {"passname": passname, "act": act})
        assert answer.status_code == 302
        assert "(not-allowed)" in words(answer) or "(invalid-input)" in words(answer)
    assert not Receipt.objects.exclude(closed_at=None).exists()
    assert "Completed" in words(client.post(path, {"passname": "boss", "act": "complete"}))
    receipt = Receipt.objects.get(message=asked["id"], recipient=boss.actor)
    assert receipt.state == State.COMPLETED
    client.post(letter_page(mine).replace("change", "own"), {"passname": "boss", "act": "close"})
    assert Message.objects.get(pk=mine["id"]).closed_at is not None
    check_counters(planner.inbox)
    leave_inbox(inbox=planner.inbox, passname="boss")
    assert client.get(letter_page(mine)).context["acts"] == []


def test_rest__hands_over(planner: Mate, coder: Mate, boss: Mate) -> None:
    send_message(hand=_hand(planner), letter=Letter(type="request", topic="plan", payload="x", to=["coder"]))
    client = staff(planner)
    path, body = f"{planner.path}/hand-over", {"owedBy": "coder", "to": "boss"}

    def call(body: Any) -> HttpResponse:
        return client.post(path, body, content_type="application/json")

    assert boss.post("hand-over", body).status_code == 403
    assert call(body).json()["code"] == "still-takes-part"
    leave_inbox(inbox=planner.inbox, passname="coder")
    assert call({**body, "to": "nobody-here"}).status_code == 422
    assert call({"owedBy": "coder"}).status_code == 400
    answer = call(body)
    assert (answer.status_code, answer.json()) == (200, {"moved": 1, "stayed": 0})
    assert call(body).json() == {"moved": 0, "stayed": 0}
    assert boss.queue()["counts"]["open"] == 1


def _hand(mate: Mate) -> Any:
    from messaging.inbox.hands import Hand

    return Hand(mate.inbox, mate.actor, Participation.objects.get(actor=mate.actor))
