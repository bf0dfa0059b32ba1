"""Each command against the API: what it prints, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from messaging.inbox.models import Message, Receipt
from tests.messaging.client.conftest import Calls, Command, Mate, Ran

pytestmark = pytest.mark.django_db
Team = dict[str, Mate]


def send(run: Command, mate: Mate, *more: str, text: str = "Build it.", **options: str) -> Ran:
    return run(mate, "send", "--type", "request", "--topic", "build", *more, text, **options)


def sent(run: Command, mate: Mate, *more: str, **options: str) -> str:
    done = send(run, mate, "--json", *more, **options)
    assert done.code == 0, done.err
    return str(done.answer["id"])


def test_access__says_who_and_what_is_open(run: Command, team: Team) -> None:
    done = run(team["coder"], "access")
    assert done.code == 0
    assert done.out.splitlines() == [
        "coder (agent) in release of acme",
        "may: read, write",
        "0 open (0 new), 0 messages in all",
    ]


def test_loop__request_to_answer(run: Command, team: Team) -> None:
    asked = sent(run, team["planner"], "--to", "coder")
    pulled = run(team["coder"], "pull")
    assert "1 open (0 new)" in pulled.out and "'build' from planner, " in pulled.out and asked in pulled.out
    assert run(team["coder"], "show", asked).out.splitlines()[1:] == ["Build it."]
    answer = run(team["coder"], "reply", asked, "Built.", "--json").answer
    assert [each["passname"] for each in answer["recipients"]] == ["planner"]
    assert run(team["coder"], "complete", asked, "--reply-id", answer["id"]).out == f"completed {asked}\n"
    assert "coder: completed" in run(team["planner"], "sent").out
    assert run(team["planner"], "sent", "--open").out == "nothing\n"
    whole = run(team["planner"], "thread", answer["id"])
    assert whole.code == 0 and whole.out.index("Build it.") < whole.out.index("Built.")


def test_send__the_same_command_again_sends_nothing_new(run: Command, team: Team) -> None:
    first, second = send(run, team["planner"]), send(run, team["planner"])
    assert (first.code, second.code) == (0, 0) and "sent before" in second.out
    assert send(run, team["planner"], "--again").code == 0
    assert Message.objects.count() == 2


def test_send__the_key_is_of_the_content(run: Command, team: Team, calls: Calls) -> None:
    for text in ("one", "one", "two"):
        send(run, team["planner"], text=text)
    keys = [call["headers"]["Idempotency-Key"] for call in calls.seen]
    assert keys[0] == keys[1] != keys[2]
    send(run, team["planner"], "--idempotency-key", "mine", text="three")
    assert calls.seen[-1]["headers"]["Idempotency-Key"] == "mine"


def test_payload__from_argument_file_and_standard_input(run: Command, team: Team, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text('{"text": "é"}\n', encoding="utf-8")
    head = ("send", "--type", "info", "--topic", "build")
    for arguments in (
        (*head, "a text"),
        (*head, "--parse", '{"a": [1, 2.0, null]}'),
        (*head, "--file", str(file)),
        (*head, "--parse", "--file", str(file)),
    ):
        assert run(team["planner"], *arguments).code == 0
    assert run(team["planner"], *head, "-", stdin="from a pipe\n").code == 0
    assert run(team["planner"], *head, "--file", "-", "--parse", stdin="7\n").code == 0
    assert list(Message.objects.order_by("seq").values_list("payload", flat=True)) == [
        "a text",
        {"a": [1, 2.0, None]},
        '{"text": "é"}',
        {"text": "é"},
        "from a pipe",
        7,
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("send", "--type", "info", "--topic", "build"),
        ("send", "--type", "info", "--topic", "build", "x", "--file", "y"),
        ("send", "--type", "info", "--topic", "build", "--parse", "{"),
        ("send", "--type", "info", "--topic", "build", "--parse", "NaN"),
        ("send", "--type", "info", "--topic", "build", "--parse", '{"a": 1, "a": 2}'),
        ("send", "--type", "info", "--topic", "build", "--file", "/nowhere/at/all"),
        ("send", "--type", "letter", "--topic", "build", "x"),
        ("send", "--topic", "build", "x"),
        ("reply", "x", "y", "--to", "a", "--everybody"),
        ("complete",),
        ("complete", "a", "b", "--note", "x"),
        ("pull", "--wait", "soon"),
        ("show", ".."),
        ("nothing",),
        (),
    ],
)
def test_usage__is_exit_code_two_and_calls_nobody(
    run: Command, team: Team, calls: Calls, arguments: tuple[str, ...]
) -> None:
    done = run(team["planner"], *arguments)
    assert (done.code, done.out, calls.seen) == (2, "", []) and done.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "0190aaaa-0000-7000-8000-000000000000"), "not-found"),
        (("show", "a/b?c"), "not-found"),
        (("send", "--type", "info", "--topic", "build", "--to", "plannr", "x"), "unknown-passname"),
        (("send", "--type", "info", "--topic", "build", "--approval", "x"), "invalid-input"),
        (("pull", "--limit", "1000"), "invalid-input"),
        (("search", "--since", "soon"), "invalid-input"),
        (("sent", "--cursor", "zzz"), "invalid-cursor"),
    ],
)
def test_refusal__is_exit_code_one_in_words_and_as_json(
    run: Command, team: Team, arguments: tuple[str, ...], code: str
) -> None:
    words, found = run(team["coder"], *arguments), run(team["coder"], *arguments, "--json")
    assert (words.code, words.out, found.code, found.out) == (1, "", 1, "")
    assert words.err.startswith(f"{code}: ") and found.problem["code"] == code


def test_revoked_and_frozen__are_refused(run: Command, team: Team) -> None:
    type(team["coder"].actor).objects.filter(passname="coder").update(
        frozen_at=team["coder"].actor.created_at
    )
    assert run(team["coder"], "pull").err.startswith("frozen: ")


def test_reply__goes_to_who_asked_unless_it_is_said_otherwise(run: Command, team: Team) -> None:
    asked = sent(run, team["planner"], "--to", "coder,reviewer")
    one = run(team["coder"], "reply", asked, "a", "--json").answer
    two = run(team["coder"], "reply", asked, "b", "--everybody", "--json").answer
    three = run(
        team["coder"], "reply", asked, "c", "--to", "boss", "--type", "request", "--approval", "--json"
    ).answer
    names = [[each["passname"] for each in answer["recipients"]] for answer in (one, two, three)]
    assert names == [["planner"], ["boss", "planner", "reviewer"], ["boss"]]
    assert one["topic"] == "build" and three["approval"] is True


def test_several_receipts__are_moved_each_for_itself(run: Command, team: Team) -> None:
    ids = [sent(run, team["planner"], text=text) for text in ("a", "b")]
    assert run(team["coder"], "complete", *ids).out == f"completed {ids[0]}\ncompleted {ids[1]}\n"
    third = sent(run, team["planner"], text="c")
    done = run(team["coder"], "archive", ids[0], third)
    assert done.code == 1 and f"  {ids[0]}: already-closed" in done.err and f"  {third}: archived" in done.err
    assert run(team["coder"], "ack", sent(run, team["planner"], text="d")).err.startswith(
        "not-acknowledgeable"
    )


def test_look_and_wait__deliver_nothing(run: Command, team: Team) -> None:
    sent(run, team["planner"], "--to", "coder")
    assert "1 open (1 new)" in run(team["coder"], "pull", "--look").out
    assert "1 open (1 new)" in run(team["coder"], "wait", "--seconds", "0").out
    assert Receipt.objects.get().state == "pending"


def test_pages_and_filters__reach_the_server(run: Command, team: Team) -> None:
    for text in ("a", "b", "c"):
        sent(run, team["planner"], "--to", "coder", text=text)
    first = run(team["coder"], "pull", "--limit", "2", "--newest", "--json").answer
    assert [json.loads(item["excerpt"]) for item in first["items"]] == ["c", "b"]
    rest = run(
        team["coder"], "pull", "--limit", "2", "--newest", "--cursor", first["nextCursor"], "--json"
    ).answer
    assert [json.loads(item["excerpt"]) for item in rest["items"]] == ["a"]
    assert run(team["coder"], "pull", "--type", "info", "--json").answer["items"] == []


def test_search__takes_words_and_phrases(run: Command, team: Team) -> None:
    for text in ("build C++ in v1.2", "build in C", "C++ is built in"):
        sent(run, team["planner"], text=text)
    found = run(team["coder"], "search", "C++", "in v1.2", "--json").answer["items"]
    assert [json.loads(item["excerpt"]) for item in found] == ["build C++ in v1.2"]
    assert run(team["coder"], "search", "nowhere").out == "nothing was found\n"


def test_text__shows_no_letters_that_a_terminal_would_obey(run: Command, team: Team) -> None:
    asked = sent(run, team["planner"], text="a\x1b[2Jb\u202ec\nd\te")
    assert run(team["coder"], "show", asked).out.splitlines()[1:] == ["a\\x1b[2Jb\\u202ec", "d\te"]


def test_passname__of_somebody_else_is_refused(
    run: Command, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKFORCE_PASSNAME", "planner")
    assert run(team["coder"], "access").err.startswith("passname-mismatch: ")
