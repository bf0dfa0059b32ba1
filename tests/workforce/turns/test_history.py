"""What a worker remembers of the turns before."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage

from tests.workforce.dispatch.queues import make_request
from tests.workforce.turns.conftest import Desk, Script
from workforce import toolsets
from workforce.models import Item, Request
from workforce.toolsets import Tool

OpenDesk = Callable[..., Desk]
DATA = re.compile(r"(?:Answer this:\n)?<data-([0-9a-f]{16})>\n(.*)\n</data-\1>", re.S)


def shown(messages: list[ModelMessage]) -> list[Any]:
    """The conversation as the model sees it, without marks: what was said, called and returned."""
    told: list[Any] = []
    for message in messages:
        for part in message.parts:
            match part.part_kind:
                case "user-prompt":
                    told.append(("user", _inside(part.content)))
                case "text":
                    told.append(("answer", part.content))
                case "tool-call":
                    told.append(("call", part.tool_name, part.args_as_dict()))
                case "tool-return":
                    told.append(("output", json.loads(_inside(part.content))))
    return told


def _inside(text: Any) -> str:
    match = DATA.fullmatch(text)
    assert match, text
    return match[2]


class Nothing(BaseModel):
    pass


@pytest.fixture(autouse=True)
def bell(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = Tool("ring", "Rings.", Nothing, lambda turn, input: {"rang": True})
    monkeypatch.setattr(toolsets, "_TOOLSETS", {"bell": lambda turn: [tool]})


def test_history__shows_completed_turns_whole(desk: OpenDesk, script: Script) -> None:
    opened = desk()
    script([("ring", {})], "First answer.")
    opened.say("First question.")
    talk = script("Second answer.")
    opened.say("Second question.")
    assert shown(talk[0][0]) == [
        ("user", "First question."),
        ("call", "ring", {}),
        ("output", {"rang": True}),
        ("answer", "First answer."),
        ("user", "Second question."),
    ]


def test_history__shows_the_line_alone_of_a_failed_turn(desk: OpenDesk, script: Script) -> None:
    opened = desk()
    script([("ring", {})], "")
    assert opened.say("First question.").status == "failed"
    talk = script("Second answer.")
    opened.say("Second question.")
    assert shown(talk[0][0]) == [("user", "First question."), ("user", "Second question.")]


@pytest.mark.parametrize("window", [1, 2])
def test_history__looks_back_over_a_window_of_turns(
    window: int, desk: OpenDesk, script: Script, settings: Any
) -> None:
    settings.HISTORY_WINDOW = window
    opened = desk()
    for number in range(4):
        script(f"answer {number}")
        opened.say(f"question {number}")
        make_request(opened.session, "run", input={}, status="aborted")  # wrote nothing, and takes no place
    talk = script("Done.")
    opened.say("And now?")
    assert [told[1] for told in shown(talk[0][0]) if told[0] == "user"] == [
        *(f"question {number}" for number in range(4 - window, 4)),
        "And now?",
    ]


def test_history__is_the_session_s_own(desk: OpenDesk, script: Script) -> None:
    script("Answer.")
    desk(seat_id="support.other").say("In another conversation.")
    talk = script("Yes.")
    desk().say("Here.")
    assert shown(talk[0][0]) == [("user", "Here.")]


def test_history__has_the_marks_of_this_turn(desk: OpenDesk, script: Script) -> None:
    opened = desk()
    tokens = set()
    for _ in range(2):
        talk = script("Answer.")
        opened.say("Question.")
        said = str(talk[0][0]) + str(talk[0][1].instructions)
        found = set(re.findall(r"data-([0-9a-f]{16})", said))
        assert len(found) == 1
        tokens |= found
    assert len(tokens) == 2


def test_history__does_not_hold_the_lines_before(desk: OpenDesk, script: Script) -> None:
    opened = desk(parent=True)
    before = [{"from": "bob", "text": "An earlier line.\nada: not mine"}]
    for number in (1, 2):
        talk = script("Answer.")
        post = {
            "mailboxId": "support.help",
            "member": "support.lead",
            "postId": f"p{number}",
            "principal": "ada",
            "body": f"Question {number}.",
            "routed": True,
            "recent": before if number == 1 else [],
        }
        assert opened.run(make_request(opened.session, "onMailboxPost", input=post)).status == "completed"
        assert ("An earlier line" in str(talk[0][0])) == (number == 1)
    assert "An earlier line" not in str(list(Item.objects.values_list("data", flat=True)))
    assert shown(talk[0][0])[0] == ("user", "ada in support.help: Question 1.")


def test_history__of_an_aborted_turn_is_its_line(desk: OpenDesk, script: Script) -> None:
    opened = desk()
    script("Answer.")
    opened.say("First question.")
    Request.objects.update(status="aborted")
    talk = script("Answer.")
    opened.say("Second question.")
    assert shown(talk[0][0]) == [("user", "First question."), ("user", "Second question.")]


def test_history__takes_halves_of_characters_that_a_model_wrote(desk: OpenDesk, script: Script) -> None:
    opened = desk()
    script([("ring", '{"note": "\\ud800"}')], "Answer \ud800.")
    assert opened.say("First question.").output == {"text": "Answer ?."}
    talk = script("Answer.")
    assert opened.say("Second question.").status == "completed"
    assert len(shown(talk[0][0])) == 5
