"""The same call twice is one call: Idempotency-Key."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse

from tests.clients import Api, problem
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL, at_once
from workforce import clock
from workforce.dispatch.sweep import prune, run_due
from workforce.models import IdempotencyRecord, Item, Request, Session

NEWS = "announcements"


def same(first: HttpResponse, again: HttpResponse) -> None:
    """The two answers are one, to the byte."""
    assert (again.status_code, again.content) == (first.status_code, first.content)
    for name in ("Location", "Content-Type", "Preference-Applied"):
        assert again.get(name) == first.get(name), name


def post(player: Player, body: str = "x", key: str = "k-1", address: str = "support.help") -> HttpResponse:
    return player.api.act(address, "post", {"body": body}, Idempotency_Key=key)


def test_repeat__an_answer_with_output(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox(members=["support.lead"])
    first = post(owner)
    assert first.status_code == 200
    owner.api.line("support.help", "between")
    with nothing_written():
        same(first, post(owner))
    assert [line["body"] for line in owner.api.transcript("support.help")] == ["x", "between"]


def test_repeat__an_accepted_answer_stays_the_first_one(
    owner: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox("team.news", kind=NEWS)
    for action in ("later", "laterBoom", "laterDefect"):

        def call() -> HttpResponse:
            return owner.api.act("team.news", action, kind=NEWS, Idempotency_Key="k")  # noqa: B023

        first = call()
        assert (first.status_code, first.json()["status"]) == (202, "pending")
        with nothing_written():
            same(first, call())
        assert run_due() == 1
        with nothing_written():
            same(first, call())
    assert Request.objects.filter(action="later").count() == 1


def test_repeat__a_refusal(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    session = mailbox()
    refused = {"body": "x", "author": "no.one"}
    first = owner.api.act("support.help", "post", refused, Idempotency_Key="k")
    problem(first, 422, "author-not-a-member")
    session.state |= {"members": ["no.one"]}
    session.save()
    with nothing_written():
        same(first, owner.api.act("support.help", "post", refused, Idempotency_Key="k"))
    unbound = post(owner, address="nobody.opened")
    problem(unbound, 409, "mailbox-not-bound")
    with nothing_written():
        same(unbound, post(owner, address="nobody.opened"))


def test_repeat__another_input_is_refused(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox()
    post(owner)
    with nothing_written():
        problem(post(owner, "y"), 409, "idempotency-key-reused", "k-1")
        chosen = {"metadata": {"a": 1}}
        answer = owner.api.act("support.help", "post", {"body": "x"}, envelope=chosen, Idempotency_Key="k-1")
        problem(answer, 409, "idempotency-key-reused")


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), (0, False), ("1", 1), ([], {}), (None, "")])
def test_repeat__values_that_python_takes_for_the_same_differ(
    owner: Player, mailbox: Mailbox, one: Any, other: Any
) -> None:
    mailbox()
    for value, status in ((one, 200), (other, 409)):
        envelope = {"metadata": {"value": value}}
        answer = owner.api.act("support.help", "read", envelope=envelope, Idempotency_Key="k")
        assert answer.status_code == status


def test_repeat__the_order_of_keys_and_the_users_own_name_are_no_input(
    owner: Player, mailbox: Mailbox
) -> None:
    mailbox(members=["a.b"])
    path = "/api/flows/mailbox/support.help/actions/post"
    bodies = [
        {"input": {"body": "x", "author": "a.b"}},
        {"input": {"author": "a.b", "body": "x"}, "userId": "ada"},
    ]
    answers = [owner.api.post(path, body, Idempotency_Key="k") for body in bodies]
    answers.append(owner.api.post(f"{path}/", bodies[0], Idempotency_Key="k"))
    assert len({answer.content for answer in answers}) == 1
    assert Item.objects.count() == 1


def test_repeat__other_paths_users_and_organizations_are_other_calls(
    owner: Player, member: Player, stranger: Player, outsider: Player, mailbox: Mailbox
) -> None:
    mailbox()
    mailbox("other.box")
    for player in (stranger, outsider):
        mailbox(f"{player.user.username}.box", player=player)
        assert post(player, address=f"{player.user.username}.box").json()["output"]["seq"] == 1
    assert post(owner).json()["output"]["seq"] == 1
    assert post(owner, address="other.box").json()["output"]["seq"] == 1
    assert post(owner, key="k-2").json()["output"]["seq"] == 2
    assert owner.api.act("support.help", "read", Idempotency_Key="k-1").status_code == 200
    # Two actors of one user are one principal.
    same(post(owner), post(member))
    assert Item.objects.count() == 5


def test_repeat__ends_after_a_day(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    first = post(owner)
    records = IdempotencyRecord.objects.all()
    records.update(created_at=clock.now() - timedelta(hours=23, minutes=59))
    same(first, post(owner))
    assert prune() == 0
    records.update(created_at=clock.now() - timedelta(hours=24, seconds=1))
    assert post(owner, "y").json()["output"]["seq"] == 2
    assert records.count() == 1
    records.update(created_at=clock.now() - timedelta(hours=24, seconds=1))
    assert prune() == 1
    assert post(owner, "y").json()["output"]["seq"] == 3


def test_repeat__after_its_session_is_gone(owner: Player) -> None:
    problem(post(owner, address="nobody.opened"), 409, "mailbox-not-bound")
    assert owner.api.call("DELETE", "/api/sessions/nobody.opened").status_code == 204
    problem(post(owner, address="nobody.opened"), 409, "mailbox-not-bound")
    problem(post(owner, address="nobody.opened"), 409, "mailbox-not-bound")
    assert Request.objects.count() == 1


@pytest.mark.parametrize("key", ["", "k" * 256, "a\tb", "a\x7fb", "\u00a0"])
def test_repeat__a_key_out_of_form(owner: Player, mailbox: Mailbox, nothing_written: Any, key: str) -> None:
    mailbox()
    failed = Request.objects.create(
        session=Session.objects.get(), action="read", source="http", status="failed"
    )
    with nothing_written():
        answers = [
            post(owner, key=key),
            owner.api.post("/api/flows/announcements/actions/later", Idempotency_Key=key),
            owner.api.post("/api/sessions", {"flowKind": "mailbox"}, Idempotency_Key=key),
            owner.api.post(f"/api/requests/{failed.uid}/retry", Idempotency_Key=key),
            owner.api.post(f"/api/requests/{failed.uid}/abort", Idempotency_Key=key),
        ]
    for answer in answers:
        body = problem(answer, 400, "invalid-input", "Idempotency-Key")
        assert body["errors"][0]["path"] == "Idempotency-Key"


def test_repeat__a_key_as_long_as_may_be(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    first = post(owner, key="k" * 255)
    assert first.status_code == 200
    same(first, post(owner, key="k" * 255))
    assert post(owner, key="k" * 254 + "l").json()["output"]["seq"] == 2


def test_repeat__making_a_session(owner: Player, nothing_written: Any) -> None:
    def make(body: dict[str, Any], key: str = "k") -> HttpResponse:
        return owner.api.post("/api/sessions", body, Idempotency_Key=key)

    wanted = {"flowKind": "mailbox", "sessionId": "my.id", "title": "T"}
    first = make(wanted)
    assert (first.status_code, first["Location"]) == (201, "/api/sessions/my.id")
    owner.api.call("PATCH", "/api/sessions/my.id", {"title": "changed"})
    with nothing_written():
        same(first, make(wanted))
        problem(make({"flowKind": "mailbox"}), 409, "idempotency-key-reused")
    taken = make(wanted, "other")
    problem(taken, 409, "session-taken")
    Session.objects.all().delete()
    with nothing_written():
        same(taken, make(wanted, "other"))
    minted = make({"flowKind": "mailbox"}, "third")
    same(minted, make({"flowKind": "mailbox"}, "third"))
    assert Session.objects.count() == 1


def test_repeat__retry_and_abort(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox("team.news", kind=NEWS)
    uid = owner.api.act("team.news", "later", kind=NEWS).json()["request"]["id"]

    def call(verb: str, key: str = "k") -> HttpResponse:
        return owner.api.post(f"/api/requests/{uid}/{verb}", Idempotency_Key=key)

    refused = call("retry")
    problem(refused, 409, "not-retryable")
    first = call("abort")
    assert (first.status_code, first.content) == (204, b"")
    with nothing_written():
        same(first, call("abort"))
        same(refused, call("retry"))
    problem(call("abort", "new"), 409, "already-ended")
    again = call("retry", "new")
    assert again.status_code == 202
    with nothing_written():
        same(again, call("retry", "new"))
    assert Request.objects.filter(action="later").count() == 2


class TestAtOnce:
    pytestmark = ON_POSTGRESQL

    def test_post__one_key_is_one_line_and_one_answer(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox(members=["support.lead"])

        def call() -> bytes:
            answer = Api(owner.key).act("support.help", "post", {"body": "x"}, Idempotency_Key="k")
            return answer.content

        answers = at_once(*[call] * 12)
        assert len(set(answers)) == 1
        assert Item.objects.get().line_seq == 1
        assert Request.objects.filter(action="post").count() == 1
        assert Request.objects.filter(action="onPosted").count() == 1

    def test_post__one_key_with_two_inputs(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox()

        def call(body: str) -> Any:
            return lambda: (
                Api(owner.key).act("support.help", "post", {"body": body}, Idempotency_Key="k").status_code
            )

        assert sorted(at_once(*[call("x")] * 3, *[call("y")] * 3)) == [200] * 3 + [409] * 3
        assert Item.objects.count() == 1

    def test_make_session__one_key_makes_one(self, owner: Player) -> None:
        def call() -> bytes:
            wanted = {"flowKind": "mailbox"}
            return Api(owner.key).post("/api/sessions", wanted, Idempotency_Key="k").content

        assert len(set(at_once(*[call] * 8))) == 1
        assert Session.objects.count() == 1
