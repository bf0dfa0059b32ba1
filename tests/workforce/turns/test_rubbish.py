"""What no model should write and some do: arguments, names and numbers that cannot be kept or read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Player
from tests.fakes.openai import FakeOpenAI, Says, calls, says, sends
from tests.workforce.turns.conftest import Desk, Offer, Script
from workforce.turns.calling import MOST_TOKENS

OpenDesk = Callable[..., Desk]

#: Arguments as they are on the wire.
ARGUMENTS: dict[str, str] = {
    "not a number": '{"floor": NaN}',
    "an infinity": '{"floor": 1e400}',
    "a list without end": "[" * 100_000,
    "an object without end": '{"floor": ' * 100_000,
    "deeper than is kept": '{"floor": ' + "[" * 150 + "]" * 150 + "}",
    "half a character": '{"floor": "\\ud800"}',
    "half a character as a key": '{"\\ud800": 1}',
    "a NUL": '{"floor": "\\u0000"}',
    "nothing": "",
    "no object": "[1]",
    "a number of thousands of digits": '{"floor": ' + "9" * 5000 + "}",
}


def take(desk: OpenDesk, settings: Any, *replies: Says) -> tuple[Any, Desk]:
    settings.WORKFORCE_MODEL_API_KEY, settings.TURN_SECONDS = "key", 10
    opened = desk(settings={"model": "some-model"})
    with FakeOpenAI(*replies) as fake:
        settings.WORKFORCE_MODEL_BASE_URL = fake.url
        return opened.say(), opened


def shown(player: Player, opened: Desk) -> list[Any]:
    """The conversation as its owner reads it."""
    answer = player.api.get(f"/api/sessions/{opened.session.address}/items")
    assert answer.status_code == 200, answer.content
    items: list[Any] = answer.json()["items"]
    return items


@pytest.mark.parametrize("tool", ["ring", "sing"])
@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments__are_told_to_the_model_kept_and_readable(
    desk: OpenDesk, settings: Any, offer: Offer, owner: Player, arguments: str, tool: str
) -> None:
    offer()
    request, opened = take(desk, settings, calls((tool, arguments)), says("Never mind."))
    assert (request.status, request.output) == ("completed", {"text": "Never mind."})
    _, call, answer = shown(owner, opened)
    assert (call["type"], call["data"]["tool"]) == ("tool_output", tool)
    assert answer["data"]["text"] == "Never mind."


def test_arguments__of_a_model_that_sends_no_text(
    desk: OpenDesk, script: Script, offer: Offer, owner: Player
) -> None:
    offer()
    script([("ring", {"floor": float("nan")}), ("sing", {"floor": float("inf")})], "Never mind.")
    opened = desk()
    assert opened.say().status == "completed"
    assert [item["type"] for item in shown(owner, opened)].count("tool_output") == 2


def test_name_of_a_tool__of_half_characters_is_kept_readable(
    desk: OpenDesk, settings: Any, offer: Offer, owner: Player
) -> None:
    offer()
    request, opened = take(desk, settings, calls(("sing\ud800", {})), says("Never mind."))
    assert request.finished
    assert "sing?" in str(shown(owner, opened))


def completion(message: dict[str, Any], **fields: Any) -> Says:
    choices = [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}]
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
    return sends(json.dumps({**body, **fields}))


@pytest.mark.parametrize(("said", "kept"), [(10**30, MOST_TOKENS), (2**40, MOST_TOKENS), (7, 7), (0, 0)])
def test_tokens__whatever_number_an_endpoint_sends(
    desk: OpenDesk, settings: Any, offer: Offer, said: int, kept: int
) -> None:
    offer()
    usage = {"prompt_tokens": said, "completion_tokens": said, "total_tokens": said}
    request, _ = take(desk, settings, completion({"content": "Yes."}, usage=usage))
    assert (request.status, request.input_tokens, request.output_tokens) == ("completed", kept, kept)


CUSTOM = {"id": "1", "type": "custom", "custom": {"name": "ring", "input": "1"}}
ANSWERS = {
    "calls of a kind that is not known": completion({"content": None, "tool_calls": [CUSTOM]}),
    "JSON without end": sends("[" * 200_000),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_answer__that_the_library_trips_over(
    desk: OpenDesk, settings: Any, offer: Offer, answer: Says
) -> None:
    offer()
    request, _ = take(desk, settings, answer)
    assert (request.status, request.error["code"]) == ("failed", "model-answer-unreadable")
