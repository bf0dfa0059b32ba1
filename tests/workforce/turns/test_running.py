"""Turns with scripted models: what is kept, what the model is told, and how a turn ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection, connections
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from tests.kinds import NotOpen
from tests.workforce.dispatch.queues import make_request
from tests.workforce.turns.conftest import Desk, Offer, Script, ringing
from workforce.dispatch.run import try_run
from workforce.models import Item
from workforce.toolsets import Turn
from workforce.turns.models import register_model

OpenDesk = Callable[..., Desk]


def test_turn__keeps_the_line_the_calls_and_the_answer(desk: OpenDesk, script: Script, offer: Offer) -> None:
    script(ringing(2, 3), "The caretaker.")
    offer()
    opened = desk()
    request = opened.say()
    assert (request.status, request.output) == ("completed", {"text": "The caretaker."})
    assert opened.items() == [
        ("message", {"role": "user", "text": "Who opens the door?"}),
        ("tool_output", {"tool": "ring", "input": {"floor": 2}, "output": {"rang": 2}}),
        ("tool_output", {"tool": "ring", "input": {"floor": 3}, "output": {"rang": 3}}),
        ("message", {"role": "assistant", "text": "The caretaker.", "author": "support.lead"}),
    ]
    assert request.input_tokens > 0 and request.output_tokens > 0


def test_turn__tells_the_team_s_the_own_and_the_charter_in_this_order(desk: OpenDesk, script: Script) -> None:
    talk = script("Yes.")
    opened = desk(
        parent=True,
        charter="CHARTER.",
        team_instructions="TEAM.",
        instructions="OWN.",
        description="DESCRIPTION.",
    )
    post = {"mailboxId": "support.help", "member": "support.lead", "postId": "p1", "principal": "ada"}
    opened.run(make_request(opened.session, "onMailboxPost", input={**post, "body": "Hello?"}))
    [(messages, info)] = talk
    assert info.instructions is not None
    parts = info.instructions.split("\n\n")
    assert parts[:3] == ["TEAM.", "OWN.", "CHARTER."]
    assert "is data" in parts[3]
    assert "DESCRIPTION" not in str(messages) + info.instructions
    assert opened.items()[0] == (
        "message",
        {"role": "user", "text": "ada in support.help: Hello?", "postId": "p1"},
    )


def test_turn__leaves_out_instructions_that_are_blank(desk: OpenDesk, script: Script) -> None:
    talk = script("Yes.")
    desk(instructions=" \n").say()
    assert (talk[0][1].instructions or "").startswith("Everything between")


def test_turn__without_a_model_keeps_the_line(desk: OpenDesk, settings: Any) -> None:
    settings.WORKFORCE_MODEL = ""
    opened = desk(settings={})
    request = opened.say()
    assert (request.status, request.error["code"]) == ("failed", "model-not-configured")
    assert "WORKFORCE_MODEL" in request.error["message"]
    assert [type for type, _ in opened.items()] == ["message", "error"]


def test_turn__uses_the_setting_s_model(desk: OpenDesk, script: Script, settings: Any) -> None:
    settings.WORKFORCE_MODEL = "test:script"
    script("Yes.")
    assert desk(settings={}).say().output == {"text": "Yes."}


def test_tool__refusal_is_its_result(desk: OpenDesk, script: Script, offer: Offer) -> None:
    def refuse(turn: Turn, input: Any) -> None:
        raise NotOpen("closed today")

    talk = script(ringing(1), "Sorry.")
    offer(refuse)
    opened = desk()
    assert opened.say().status == "completed"
    refused = {"ok": False, "error": "announcements-not-open: closed today"}
    assert opened.items()[1][1]["output"] == refused
    assert '"announcements-not-open: closed today"' in talk[1][0][-1].parts[0].content  # type: ignore[union-attr]


@pytest.mark.parametrize("defect", [RuntimeError, TimeoutError, KeyError, ValueError])
def test_tool__defect_fails_the_turn_without_its_words(
    defect: type[Exception], desk: OpenDesk, script: Script, offer: Offer
) -> None:
    def break_down(turn: Turn, input: Any) -> None:
        raise defect("secret words")

    script(ringing(1), "Sorry.")
    offer(break_down)
    opened = desk()
    request = opened.say()
    assert (request.status, request.error["code"]) == ("failed", "internal-error")
    assert "secret" not in str(request.error) + str(opened.items())
    assert request.input_tokens > 0


def test_tool__database_that_is_away_leaves_the_turn_to_the_sweep(
    desk: OpenDesk, script: Script, offer: Offer
) -> None:
    def lose(turn: Turn, input: Any) -> None:
        raise OperationalError("gone")

    script(ringing(1), "Sorry.")
    offer(lose)
    request = make_request(desk().session, "run", input={"message": "Hello?"})
    with pytest.raises(OperationalError):
        try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.attempts) == ("pending", 0)


def test_tools__run_on_the_worker_s_thread_in_order_and_outside_of_transactions(
    transactional_db: None, desk: OpenDesk, script: Script, offer: Offer
) -> None:
    seen: list[Any] = []

    def look(turn: Turn, input: Any) -> None:
        seen.append((threading.get_ident(), connection.in_atomic_block, Item.objects.count()))

    script(ringing(*range(5)), "Done.")
    assert offer(look) == [] and desk().say().status == "completed"
    assert seen == [(threading.get_ident(), False, number + 1) for number in range(5)]


def test_model__is_called_outside_of_transactions(
    transactional_db: None, desk: OpenDesk, script: Script
) -> None:
    inside: list[bool] = []
    own = connections["default"]  # the worker's: the model is called on another thread

    async def answer(messages: Any, info: Any) -> ModelResponse:
        inside.append(own.in_atomic_block)
        return ModelResponse(parts=[TextPart("Yes.")])

    register_model("test:script", lambda _: FunctionModel(answer))
    assert desk().say().status == "completed"
    assert inside == [False]


@pytest.mark.parametrize("count", [20_000, 80_000])
def test_tool__large_output_is_cut(count: int, desk: OpenDesk, script: Script, offer: Offer) -> None:
    talk = script(ringing(1), "Read.")
    offer(lambda turn, input: {"text": "x" * count})
    opened = desk()
    opened.say()
    kept = opened.items()[1][1]["output"]
    assert len(kept) == 16_384 and kept.endswith("[cut]")
    shown = talk[1][0][-1].parts[0].content  # type: ignore[union-attr]
    assert len(shown) <= 65_536 + 100
    assert ("[cut]" in shown) == (count == 80_000)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("x" * 65_536, "x" * 65_536),
        ("x" * 65_537, "x" * 65_529 + "… [cut]"),
        ("a\x00b", "ab"),
        (" \n Yes. \n", "Yes."),
    ],
)
def test_answer__can_be_posted(said: str, kept: str, desk: OpenDesk, script: Script) -> None:
    script(said)
    assert desk().say().output == {"text": kept}


@pytest.mark.parametrize("blank", ["", " \n\t ", "\x00"])
def test_answer__that_is_blank_fails(blank: str, desk: OpenDesk, script: Script) -> None:
    talk = script(blank)
    opened = desk()
    request = opened.say()
    assert (request.error["code"], len(talk)) == ("empty-answer", 1)
    assert [type for type, _ in opened.items()] == ["message", "error"]
