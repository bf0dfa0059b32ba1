"""The tools by which a seat's turn writes to mailboxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from boards.models import Board, Task
from mailboxes.errors import SessionNotAddressable
from mailboxes.tools.inputs import FileTask, PostToMailbox
from tests.conftest import Mailbox, Player
from tests.mailboxes.routes import BOX, MEMBERS, Script, answers, post, woken
from workforce import clock
from workforce.dispatch.sweep import run_due
from workforce.errors import ExternalDispatcher, SessionNotFound
from workforce.kinds import RunAborted
from workforce.models import Request, Seat, Session

DEVICES, ORDERS, GENERAL = MEMBERS
POST, FILE = "post-to-mailbox", "file-task"


def bodies(player: Player, box: str = BOX) -> list[tuple[str | None, str]]:
    return [(line.get("author"), line["body"]) for line in player.api.transcript(box)]


def handed(*actions: str) -> list[Request]:
    return list(Request.objects.filter(action__in=actions).order_by("id"))


@pytest.fixture
def desk(owner: Player, routed: Session, mailbox: Mailbox) -> Session:
    """Another mailbox of the owner's, of which devices and general are members, with a board."""
    box = mailbox("support.desk", members=[DEVICES, GENERAL])
    Board.objects.create(
        organization=owner.organization, board_id="support.desk.todo", mailbox_id=box.address, name="todo"
    )
    return box


@pytest.mark.parametrize("tools", [[], [POST], [FILE], [POST, FILE]])
def test_offer__only_what_the_file_lists(
    owner: Player, desk: Session, script: Script, tools: list[str]
) -> None:
    script.tools, script.answers = tools, [DEVICES]
    given = {POST: {"mailbox": "support.desk", "body": "x"}, FILE: {"mailbox": "support.desk"}}
    script.calls = [(name, given[name]) for name in (POST, FILE)]
    post(owner)
    assert [isinstance(result, KeyError) for result in script.results] == [
        name not in tools for name in (POST, FILE)
    ]


@pytest.mark.parametrize(
    ("model", "given", "extra"),
    [
        (PostToMailbox, {"mailbox": BOX, "body": "x"}, {"author": DEVICES}),
        (FileTask, {"mailbox": BOX, "board": "todo", "goal": "x"}, {"author": DEVICES}),
        (FileTask, {"mailbox": BOX, "board": "todo", "goal": "x"}, {"assignee": "x"}),
        (PostToMailbox, {"mailbox": BOX}, {"body": " "}),
        (FileTask, {"mailbox": BOX, "board": "todo"}, {"goal": " "}),
    ],
)
def test_input__closed(model: Any, given: dict[str, str], extra: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate({**given, **extra})


def test_post__under_the_seats_own_id(owner: Player, desk: Session, script: Script) -> None:
    script.answers, script.calls = [DEVICES], [(POST, {"mailbox": "support.desk", "body": "Look at this."})]
    post(owner)
    (result,) = script.results
    assert sorted(result) == ["handedTo", "note"]
    assert result["handedTo"] == "support.desk"
    assert "not written yet" in result["note"]
    (line,) = owner.api.transcript("support.desk")
    assert (line["author"], line["seatAuthored"], line["body"]) == (DEVICES, True, "Look at this.")
    (request,) = handed("seatPost")
    turn = Request.objects.get(action="onMailboxPost")
    assert (request.parent_uid, request.chain_uid, request.source) == (turn.uid, turn.chain_uid, "dispatch")


def test_post__to_the_routed_mailbox_is_the_answer_and_only_the_first(
    owner: Player, desk: Session, script: Script
) -> None:
    script.answers, script.says = [DEVICES], "The final text."
    script.calls = [
        (POST, {"mailbox": BOX, "body": "By the tool."}),
        (POST, {"mailbox": BOX, "body": "Once more."}),
        (POST, {"mailbox": "support.desk", "body": "One."}),
        (POST, {"mailbox": "support.desk", "body": "Two."}),
    ]
    post_id = post(owner)
    first, second, third, fourth = script.results
    assert "your answer" in first["note"]
    assert "nothing was posted" in second["note"]
    assert "already" in second["note"]
    assert third == fourth
    assert bodies(owner) == [(None, "It beeps."), (DEVICES, "By the tool.")]
    assert bodies(owner, "support.desk") == [(DEVICES, "One."), (DEVICES, "Two.")]
    assert answers(post_id) == 1
    landed, refused = handed("answer")
    assert (landed.status, refused.status, refused.error["code"]) == (
        "completed",
        "failed",
        "already-answered",
    )


def test_post__in_an_unrouted_mailbox_each_call_is_a_line(
    owner: Player, mailbox: Mailbox, seat: Callable[..., Seat], script: Script
) -> None:
    mailbox(BOX, members=[DEVICES])
    seat(DEVICES, kind="listener")
    script.calls = [(POST, {"mailbox": BOX, "body": body}) for body in ("One.", "Two.")]
    post(owner)
    assert bodies(owner) == [(None, "It beeps."), (DEVICES, "One."), (DEVICES, "Two.")]
    assert handed("answer") == []


def test_post__a_seat_that_is_no_member_is_refused_there(
    owner: Player, desk: Session, script: Script, nothing_written: Any
) -> None:
    script.answers, script.calls = [ORDERS], [(POST, {"mailbox": "support.desk", "body": "x"})]
    post_id = post(owner)
    assert script.results[0]["handedTo"] == "support.desk"
    (request,) = handed("seatPost")
    assert (request.status, request.error["code"]) == ("failed", "author-not-a-member")
    assert owner.api.transcript("support.desk") == []
    assert Request.objects.get(action="onMailboxPost").status == "completed"
    assert woken(post_id) == [ORDERS]


@pytest.mark.parametrize("name", [POST, FILE])
@pytest.mark.parametrize(
    ("address", "refusal"),
    [
        ("no.such", SessionNotFound),
        ("bobs.box", SessionNotFound),
        ("empty.box", SessionNotFound),
        ("team.news", SessionNotAddressable),
        ("a conversation", SessionNotAddressable),
        ("x\N{GRINNING FACE}", SessionNotFound),
    ],
)
def test_refuse__at_once_and_makes_no_session(
    owner: Player,
    stranger: Player,
    routed: Session,
    mailbox: Mailbox,
    script: Script,
    name: str,
    address: str,
    refusal: type[Exception],
) -> None:
    mailbox("bobs.box", members=[DEVICES], player=stranger)
    mailbox("team.news", kind="announcements", members=[DEVICES])
    fields = {"organization": owner.organization, "owner": owner.user}
    Session.objects.create(address="empty.box", kind="mailbox", **fields)
    Session.objects.create(address="a conversation", kind="agent", **fields)
    more = {POST: {"body": "x"}, FILE: {"board": "todo", "goal": "x"}}[name]
    script.answers, script.calls = [DEVICES], [(name, {"mailbox": address, **more})]
    post(owner)
    (result,) = script.results
    assert type(result) is refusal
    assert address in result.words
    assert handed("seatPost", "answer", "fileTask") == []
    assert not Session.objects.filter(address="no.such").exists()
    assert Request.objects.get(action="onMailboxPost").status == "completed"


@pytest.mark.parametrize("name", [POST, FILE])
def test_refuse__where_nothing_may_be_started(
    owner: Player, desk: Session, script: Script, settings: Any, name: str
) -> None:
    more = {POST: {"body": "x"}, FILE: {"board": "todo", "goal": "x"}}[name]
    script.answers = [DEVICES]
    script.calls = [
        (name, {"mailbox": "support.desk", **more}),
        (name, {"mailbox": BOX, **more}),
        (name, {"mailbox": "no.such", **more}),
    ]
    post_id = post(owner, run=False)
    settings.DISPATCH = "disabled"
    run_due()
    assert woken(post_id) == [DEVICES]
    assert [type(result) for result in script.results] == [ExternalDispatcher] * 2 + [SessionNotFound]
    assert handed("seatPost", "answer", "fileTask") == []


def test_file__a_row_with_the_seat_as_author(owner: Player, desk: Session, script: Script) -> None:
    script.answers = [DEVICES]
    script.calls = [
        (FILE, {"mailbox": "support.desk", "board": "todo", "goal": "Call back.", "title": "Call"})
    ]
    post(owner)
    (result,) = script.results
    assert (result["handedTo"], "not written yet" in result["note"]) == ("support.desk", True)
    task = Task.objects.get()
    assert (task.goal, task.title, task.author, task.created_by) == ("Call back.", "Call", DEVICES, "ada")
    event = task.events.get()
    assert (event.kind, event.principal, event.seat) == ("added", "ada", DEVICES)


@pytest.mark.parametrize(
    ("seat_id", "mailbox_id", "board", "code"),
    [
        (ORDERS, "support.desk", "todo", "author-not-a-member"),
        (DEVICES, "support.desk", "other", "board-not-declared"),
        (DEVICES, BOX, "todo", "no-such-action"),
    ],
)
def test_file__refused_by_the_mailbox(
    owner: Player, desk: Session, script: Script, seat_id: str, mailbox_id: str, board: str, code: str
) -> None:
    script.answers, script.calls = [seat_id], [(FILE, {"mailbox": mailbox_id, "board": board, "goal": "x"})]
    post(owner)
    assert script.results[0]["handedTo"] == mailbox_id
    (request,) = handed("fileTask")
    assert (request.status, request.error["code"]) == ("failed", code)
    assert not Task.objects.exists()
    assert Request.objects.get(action="onMailboxPost").status == "completed"


def test_turn__run_again_after_a_crash_does_everything_once(
    owner: Player, desk: Session, script: Script
) -> None:
    script.answers = [DEVICES]
    script.calls = [
        (POST, {"mailbox": BOX, "body": "The answer."}),
        (POST, {"mailbox": "support.desk", "body": "A line."}),
        (FILE, {"mailbox": "support.desk", "board": "todo", "goal": "Call back."}),
    ]
    died = []

    def die(work: Any) -> None:
        if not died:
            died.append(work.request.uid)
            raise RuntimeError("the process is gone")

    script.then = die
    post(owner)
    Request.objects.filter(uid=died[0]).update(status="pending", error=None, ended_at=None)
    run_due()
    assert Request.objects.get(uid=died[0]).status == "completed"
    assert [type(result) for result in script.results] == [dict] * 6
    assert script.results[:3] == script.results[3:]
    assert bodies(owner) == [(None, "It beeps."), (DEVICES, "The answer.")]
    assert bodies(owner, "support.desk") == [(DEVICES, "A line.")]
    assert Task.objects.count() == 1
    assert len(handed("answer", "seatPost", "fileTask")) == 3


def test_turn__an_aborted_one_hands_nothing_over(owner: Player, desk: Session, script: Script) -> None:
    script.answers, script.calls = [DEVICES], [(POST, {"mailbox": BOX, "body": "Too late."})]
    turns = Request.objects.filter(action="onMailboxPost")
    script.first = lambda work: turns.update(abort_requested_at=clock.now())
    post(owner)
    assert turns.get().status == "aborted"
    assert [type(result) for result in script.results] == [RunAborted]
    assert handed("answer", "seatPost") == []
