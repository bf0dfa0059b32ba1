"""Running actions: what is written, what is refused, and what a failure leaves."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.clients import Api, problem
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL, at_once
from workforce.models import Item, Request, Session
from workforce.services.running import ActionCall, run_action


def act(player: Player, action: str, address: str = "team.news", **more: Any) -> Any:
    return player.api.act(address, action, kind="announcements", **more)


def test_run__a_refusal_after_a_write_leaves_only_the_failed_request(
    owner: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox("team.news", kind="announcements")
    with nothing_written(Request=1):
        body = problem(act(owner, "boom"), 409, "announcements-not-open", "after it wrote something")
    request = Request.objects.get()
    assert (request.status, request.output, request.counted) == ("failed", None, 0)
    assert body["request"] == {"id": str(request.uid)}
    assert act(owner, "announce", input={"text": "x"}).json()["output"]["seq"] == 1


def test_run__a_defect_tells_nothing_and_writes_nothing(
    owner: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox("team.news", kind="announcements")
    with nothing_written():
        answer = act(owner, "defect", Idempotency_Key="k")
    problem(answer, 500, "internal-error")
    assert b"secret" not in answer.content
    assert b"RuntimeError" not in answer.content
    assert answer["X-Request-Id"]
    with nothing_written():
        problem(act(owner, "defect", address="new.id"), 500, "internal-error")


@pytest.mark.parametrize("state", ["own", "unknown", "foreign", "wrong-kind"])
def test_run__an_internal_entry_is_refused_like_an_unknown_name(
    owner: Player, stranger: Player, mailbox: Mailbox, nothing_written: Any, state: str
) -> None:
    mailbox("own", kind="announcements")
    mailbox("foreign", kind="announcements", player=stranger)
    mailbox("wrong-kind", kind="mailbox")
    with nothing_written():
        internal = act(owner, "hidden", address=state, Idempotency_Key="k")
        unknown = act(owner, "hibben", address=state, Idempotency_Key="k")
    assert internal.content.replace(b"hidden", b"hibben") == unknown.content
    if state in ("own", "unknown"):
        problem(internal, 404, "no-such-action", "'hidden'")
    free = [
        owner.api.post(f"/api/flows/mailbox/actions/{name}", {"sessionId": "free.id"})
        for name in ("onPosted", "inPosted")
    ]
    assert free[0].content.replace(b"onPosted", b"inPosted") == free[1].content
    problem(free[0], 404, "no-such-action")


def test_run__an_internal_entry_is_refused_whatever_its_input_and_grants(
    owner: Player, mailbox: Mailbox
) -> None:
    mailbox()
    key = owner.actor.keys.get()
    key.grants = []
    key.save()
    for name in ("onPosted", "inPosted"):
        problem(owner.api.act("support.help", name, {"postId": 5}), 404, "no-such-action", name)


def test_run__an_unknown_flow_names_the_known_ones(owner: Player, nothing_written: Any) -> None:
    with nothing_written():
        answer = owner.api.act("support.help", "post", {"body": "x"}, kind="mailbux")
    problem(answer, 404, "no-such-flow", "did you mean 'mailbox'", "announcements")


def test_run__anothers_session_stays_untouched(
    owner: Player, stranger: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox("team.news", kind="announcements")
    for action in ("announce", "boom", "later"):
        with nothing_written():
            problem(act(stranger, action, input={"text": "x"} if action == "announce" else {}), 404,
                    "session-not-found", "there is no session 'team.news'")  # fmt: skip


def test_run__the_same_address_in_another_organization_is_another_session(
    owner: Player, outsider: Player, mailbox: Mailbox
) -> None:
    mailbox()
    owner.api.line("support.help", "ours")
    problem(outsider.api.act("support.help", "read"), 409, "mailbox-not-bound")
    assert Session.objects.filter(address="support.help").count() == 2
    assert [line["body"] for line in owner.api.transcript("support.help")] == ["ours"]


def test_run__a_minted_session(owner: Player) -> None:
    answer = owner.api.post("/api/flows/announcements/actions/later")
    address = answer.json()["session"]["id"]
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    assert owner.api.get(f"/api/sessions/{address}").json()["flowKind"] == "announcements"
    named = owner.api.post("/api/flows/announcements/actions/later", {"sessionId": "team.news"})
    assert named.json()["session"]["id"] == "team.news"


def test_run__a_chosen_request_id(owner: Player, stranger: Player, mailbox: Mailbox) -> None:
    mailbox()
    uid = str(uuid.uuid4())
    chosen = {"requestId": uid, "metadata": {"b": 1, "a": [None, 2.5, "é\x00"]}}
    answer = owner.api.act("support.help", "post", {"body": "x"}, envelope=chosen)
    assert answer.json()["request"]["id"] == uid
    assert owner.api.get(f"/api/requests/{uid}").json()["metadata"] == chosen["metadata"]
    for player, address in ((owner, "support.help"), (stranger, "other.id")):
        answer = player.api.act(address, "read", envelope={"requestId": uid})
        problem(answer, 409, "request-taken", uid)
    assert Request.objects.count() == Session.objects.count() == 1
    assert Item.objects.count() == 1


@pytest.mark.parametrize("uid", ["x", "", 5, "{12345678-1234-5678-1234-567812345678}", "1" * 32])
def test_run__a_bad_request_id(owner: Player, nothing_written: Any, uid: Any) -> None:
    with nothing_written():
        answer = owner.api.act("support.help", "post", {"body": "x"}, envelope={"requestId": uid})
    assert problem(answer, 400, "invalid-input")["errors"][0]["path"] == "requestId"


def test_run__the_envelope_is_closed(owner: Player, nothing_written: Any) -> None:
    with nothing_written():
        answer = owner.api.act("support.help", "post", {"body": "x"}, envelope={"inputs": {}, "wait": 5})
    paths = [error["path"] for error in problem(answer, 400, "invalid-input", "'input'")["errors"]]
    assert paths == ["inputs", "wait"]


def test_run__the_request_as_it_is_shown(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    answer = owner.api.act("support.help", "post", {"body": "x"})
    shown = owner.api.get(answer["Location"]).json()
    assert (shown["action"], shown["status"], shown["source"]) == ("post", "completed", "http")
    assert (shown["input"], shown["output"]) == ({"body": "x"}, answer.json()["output"])
    assert (shown["sessionId"], shown["passname"], shown["attempts"]) == ("support.help", "ada-desk", 1)
    assert shown["createdAt"] <= shown["startedAt"] <= shown["endedAt"]
    assert (shown["chainId"], shown["parentId"], shown["retryOf"]) == (shown["id"], None, None)
    listed = owner.api.get("/api/sessions/support.help/requests").json()["items"]
    assert listed == [{key: shown[key] for key in shown if key not in ("input", "output", "metadata")}]


def test_run__a_post_costs_at_most_seven_queries(owner: Player, mailbox: Mailbox) -> None:
    mailbox(members=["support.lead", "support.night"])
    for first in (True, False):
        with CaptureQueriesContext(connection) as queries:
            owner.api.line("support.help")
        words = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")
        real = [entry["sql"] for entry in queries if not entry["sql"].startswith(words)]
        # The first call of a minute writes when the key was last used.
        assert len(real) <= 7 + first, "\n".join(real)


class TestAtOnce:
    pytestmark = ON_POSTGRESQL

    def test_post__fifty_at_once_get_fifty_numbers(self, owner: Player, mailbox: Mailbox) -> None:
        session = mailbox(members=["support.lead"])
        mailbox("other.box")

        def post(number: int) -> Any:
            return lambda: Api(owner.key).line("support.help", f"line {number}")

        lines = at_once(*[post(number) for number in range(50)])
        assert sorted(line["seq"] for line in lines) == list(range(1, 51))
        assert len({line["id"] for line in lines}) == 50
        stored = Item.objects.filter(session=session).order_by("seq")
        assert [(item.seq, item.line_seq) for item in stored] == [(n, n) for n in range(1, 51)]
        assert {item.body for item in stored} == {f"line {number}" for number in range(50)}
        assert Request.objects.filter(action="onPosted").count() == 50
        session.refresh_from_db()
        assert (session.item_seq, session.line_seq) == (50, 50)

    def test_post__refusals_among_them_use_no_number(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox(members=["support.lead"])

        def post(number: int) -> Any:
            author = {"author": "no.one"} if number % 2 else {}
            return lambda: Api(owner.key).act("support.help", "post", {"body": "x", **author}).status_code

        assert sorted(at_once(*[post(number) for number in range(20)])) == [200] * 10 + [422] * 10
        assert sorted(Item.objects.values_list("line_seq", flat=True)) == list(range(1, 11))

    def test_post__two_first_calls_of_one_new_session(self, owner: Player, stranger: Player) -> None:
        for turn in range(5):
            address = f"new.id-{turn}"
            answers = at_once(*[lambda: Api(owner.key).act(address, "read").status_code] * 4)  # noqa: B023
            assert answers == [409] * 4
            assert Session.objects.filter(address=address).count() == 1
            assert Request.objects.filter(session__address=address).count() == 4
        mixed = at_once(
            *[lambda: Api(owner.key).act("mixed", "read").status_code] * 3,
            *[lambda: Api(stranger.key).act("mixed", "read").status_code] * 3,
        )
        assert sorted(mixed) == [404] * 3 + [409] * 3
        assert Session.objects.filter(address="mixed").count() == 1

    def test_run__one_request_id_at_once(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox()
        uid = uuid.uuid4()
        asked = ActionCall("mailbox", "post", "support.help", {"body": "x"}, request_id=uid)
        results = at_once(*[lambda: run_action(caller=owner.caller, asked=asked)] * 6)
        assert sorted(type(result).__name__ for result in results) == ["Request"] + ["RequestTaken"] * 5
        assert Item.objects.get().line_seq == 1


def test_run__a_refusal_names_the_session_it_is_kept_in(owner: Player) -> None:
    answer = owner.api.post("/api/flows/mailbox/actions/post", {"input": {"body": "x"}})
    kept = Request.objects.select_related("session").get()
    assert kept.session.address in answer.json()["detail"]
