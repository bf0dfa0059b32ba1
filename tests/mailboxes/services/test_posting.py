"""Posting to a mailbox, through the API."""

from __future__ import annotations

from typing import Any

import pytest

from mailboxes.models import Declaration
from tests.clients import Api, problem
from tests.conftest import Mailbox, Player
from workforce.models import Item, Request, Session

POST = "/api/flows/mailbox/support.help/actions/post"


def last_request(owner: Player, address: str = "support.help") -> dict[str, Any]:
    found: dict[str, Any] = owner.api.get(f"/api/sessions/{address}/requests").json()["items"][0]
    return found


def declare_template(player: Player, address: str) -> None:
    Declaration.objects.create(
        organization=player.organization, mailbox_id=address, kind="mailbox", is_template=True
    )


def test_post__the_line_and_its_keys_in_order(owner: Player, mailbox: Mailbox) -> None:
    mailbox(members=["support.lead"])
    line = owner.api.line("support.help", "It beeps.", author="support.lead")
    assert list(line) == ["id", "seq", "at", "principal", "author", "authorVerified", "body", "passname"]
    item = Item.objects.get()
    assert line == {
        "id": str(item.id),
        "seq": 1,
        "at": line["at"],
        "principal": "ada",
        "author": "support.lead",
        "authorVerified": False,
        "body": "It beeps.",
        "passname": "ada-desk",
    }
    shown = owner.api.get("/api/sessions/support.help/items").json()["items"][0]
    assert (shown["type"], shown["component"], shown["data"]) == ("component", "mailbox-post", line)
    assert (shown["id"], shown["at"]) == (line["id"], line["at"])


def test_post__without_representation_the_output_is_no_part_of_the_answer(
    owner: Player, mailbox: Mailbox
) -> None:
    mailbox()
    answer = owner.api.post(POST, {"input": {"body": "Hello."}})
    request = Request.objects.get()
    assert answer.status_code == 202
    assert answer["Location"] == f"/api/requests/{request.uid}"
    named = {"id": str(request.uid), "flowKind": "mailbox", "flowId": "mailbox", "actionName": "post"}
    assert answer.json() == {
        "status": "completed",
        "request": {**named, "status": "completed"},
        "session": {"id": "support.help"},
    }


def test_post__two_actors_of_one_user_meet(owner: Player, member: Player, mailbox: Mailbox) -> None:
    mailbox()
    lines = [owner.api.line("support.help"), member.api.line("support.help")]
    assert [line["seq"] for line in lines] == [1, 2]
    assert [line["passname"] for line in lines] == ["ada-desk", "ada-bot"]
    assert {line["principal"] for line in lines} == {"ada"}
    assert owner.api.transcript("support.help") == lines == member.api.transcript("support.help")


@pytest.mark.parametrize("author", [{}, {"author": None}])
def test_post__no_author_is_no_key_of_the_line(
    owner: Player, mailbox: Mailbox, author: dict[str, None]
) -> None:
    mailbox(members=["support.lead"])
    assert "author" not in owner.api.line("support.help", **author)


@pytest.mark.parametrize("letter", ["x", "\N{GRINNING FACE}", "\u0301"])
def test_post__as_long_as_may_be(owner: Player, mailbox: Mailbox, letter: str) -> None:
    mailbox()
    body = letter * 65_536
    assert owner.api.line("support.help", body)["body"] == body
    assert owner.api.transcript("support.help")[0]["body"] == body


TOO_LONG = {"body": "\N{GRINNING FACE}" * 65_537}


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        (TOO_LONG, "body", "65536"),
        ({"body": ""}, "body", "at least 1"),
        ({"body": " \n\t\u00a0\u2003"}, "body", "blank"),
        ({"body": "a\x00b"}, "body", "NUL"),
        ({"body": 5}, "body", "string"),
        ({"body": None}, "body", "string"),
        ({}, "body", "required"),
        ({"body": "x", "author": 5}, "author", "string"),
        ({"body": "x", "author": "a\x00"}, "author", "NUL"),
        ({"body": "x", "autor": "a"}, "autor", "did you mean 'author'"),
        ({"body": "x", "seatAuthored": True}, "seatAuthored", "unknown key"),
        ({"body": "x", "seat_authored": True}, "seat_authored", "unknown key"),
        ({"body": "x", "principal": "eve"}, "principal", "unknown key"),
        ({"body": "x", "authorVerified": True}, "authorVerified", "unknown key"),
        ({"body": "x", "passname": "root"}, "passname", "unknown key"),
        ([], "input", "object"),
        (None, "input", "object"),
        ("x", "input", "object"),
    ],
)
def test_post__bad_input_writes_nothing(
    owner: Player, mailbox: Mailbox, nothing_written: Any, given: Any, path: str, words: str
) -> None:
    mailbox(members=["support.lead"])
    with nothing_written():
        body = problem(owner.api.post(POST, {"input": given}), 400, "invalid-input", words)
    assert [error["path"] for error in body["errors"]] == [path]


def test_post__input_is_checked_before_the_session(owner: Player, stranger: Player, mailbox: Mailbox) -> None:
    mailbox("taken.id", player=stranger)
    declare_template(owner, "rooms.template")
    for address in ("nobody.opened", "rooms.template", "taken.id"):
        problem(owner.api.act(address, "post", {"body": ""}), 400, "invalid-input")
    assert list(Session.objects.values_list("address", flat=True)) == ["taken.id"]


def test_post__template_before_bound_before_author(
    owner: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    declare_template(owner, "rooms.template")
    foreign = {"body": "x", "author": "nobody"}
    with nothing_written(Session=1, Request=1):
        problem(
            owner.api.act("rooms.template", "post", foreign), 409, "mailbox-is-a-template", "rooms.template"
        )
    opened = mailbox("was.opened")
    declare_template(owner, "was.opened")
    opened.state |= {"template": True}  # as a load marks it
    opened.save()
    with nothing_written(Request=1):
        problem(owner.api.act("was.opened", "post", foreign), 409, "mailbox-is-a-template")
    with nothing_written(Session=1, Request=1):
        problem(owner.api.act("nobody.opened", "post", foreign), 409, "mailbox-not-bound", "nobody.opened")
    mailbox()
    with nothing_written(Request=1):
        problem(owner.api.act("support.help", "post", foreign), 422, "author-not-a-member")


def test_post__a_refused_author_is_named_with_mailbox_and_members(
    owner: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox(members=["support.lead", "support.night"])
    with nothing_written(Request=1):
        answer = owner.api.act("support.help", "post", {"body": "x", "author": "eng.lead"})
    words = ["'eng.lead'", "'support.help'", "support.lead, support.night"]
    body = problem(answer, 422, "author-not-a-member", *words)
    failed = last_request(owner)
    assert answer["Location"] == f"/api/requests/{failed['id']}"
    assert body["request"] == {"id": failed["id"]}
    assert (failed["action"], failed["status"]) == ("post", "failed")
    assert failed["error"] == {"code": "author-not-a-member", "message": body["detail"]}
    assert owner.api.line("support.help")["seq"] == 1
    assert Item.objects.get().seq == 1


@pytest.mark.parametrize("author", ["", " support.lead", "SUPPORT.LEAD", "ada", "x" * 200])
def test_post__an_author_is_a_member_exactly_or_refused(owner: Player, mailbox: Mailbox, author: str) -> None:
    mailbox(members=["support.lead"])
    problem(
        owner.api.act("support.help", "post", {"body": "x", "author": author}), 422, "author-not-a-member"
    )


def test_post__an_empty_roster_says_that_it_has_none(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    answer = owner.api.act("support.help", "post", {"body": "x", "author": "ada"})
    problem(answer, 422, "author-not-a-member", "it has none")


def test_post__only_the_members_in_the_session_count(owner: Player, mailbox: Mailbox) -> None:
    mailbox(members=["support.lead"])
    Declaration.objects.create(
        organization=owner.organization, mailbox_id="support.help", kind="mailbox", members=["eng.lead"]
    )
    problem(
        owner.api.act("support.help", "post", {"body": "x", "author": "eng.lead"}), 422, "author-not-a-member"
    )
    assert owner.api.line("support.help", author="support.lead")["author"] == "support.lead"


def test_post__an_unbound_id_leaves_an_inert_empty_session(owner: Player, stranger: Player) -> None:
    problem(owner.api.act("nobody.opened", "post", {"body": "x"}), 409, "mailbox-not-bound")
    session = Session.objects.get()
    assert (session.owner, session.kind, session.state) == (owner.user, "mailbox", {})
    assert (session.item_seq, session.line_seq) == (0, 0)
    assert last_request(owner, "nobody.opened")["error"]["code"] == "mailbox-not-bound"
    problem(owner.api.act("nobody.opened", "read"), 409, "mailbox-not-bound")
    problem(stranger.api.act("nobody.opened", "post", {"body": "x"}), 404, "session-not-found")
    assert owner.api.call("DELETE", "/api/sessions/nobody.opened").status_code == 204


def test_post__a_session_of_another_kind(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox("team.news", kind="announcements")
    with nothing_written():
        problem(owner.api.act("team.news", "post", {"body": "x"}), 409, "wrong-kind", "announcements")


def test_post__the_fan_out_is_owed_with_the_line(owner: Player, mailbox: Mailbox) -> None:
    mailbox(members=["support.lead"])
    line = owner.api.line("support.help", "It beeps.", author="support.lead")
    post, fan_out = Request.objects.order_by("id")
    assert (fan_out.action, fan_out.status, fan_out.source) == ("onPosted", "pending", "dispatch")
    assert fan_out.input == {
        "postId": line["id"],
        "body": "It beeps.",
        "principal": "ada",
        "author": "support.lead",
    }
    assert fan_out.parent_uid == fan_out.chain_uid == post.uid
    assert (post.counted, fan_out.counted) == (Request.Counted.LINE, Request.Counted.FAN_OUT)


def test_post__an_empty_roster_owes_nothing(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    owner.api.line("support.help")
    assert Request.objects.get().action == "post"


def test_post__a_process_that_starts_no_work_owes_nothing(
    owner: Player, mailbox: Mailbox, settings: Any
) -> None:
    settings.DISPATCH = "disabled"
    mailbox(members=["support.lead"])
    assert owner.api.line("support.help")["seq"] == 1
    assert Request.objects.get().action == "post"


def test_post__the_members_are_not_consulted_about_who_may_post(owner: Player, mailbox: Mailbox) -> None:
    mailbox(members=["support.lead"])
    assert owner.api.line("support.help")["seq"] == 1


def test_post__a_key_without_the_grant(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox()
    key = owner.actor.keys.get()
    key.grants = ["flows:read", "boards:write"]
    key.save(update_fields=["grants"])
    with nothing_written():
        problem(owner.api.act("support.help", "post", {"body": "x"}), 403, "not-granted", "flows:write")
    assert owner.api.transcript("support.help") == []


def test_post__without_a_key(organization: object, nothing_written: Any) -> None:
    with nothing_written():
        answer = Api().act("support.help", "post", {"body": "x"})
    problem(answer, 401, "unauthenticated")
    assert answer["WWW-Authenticate"].startswith("Bearer")
