"""What can go wrong with a model's endpoint, against one on loopback: the failure table of docs/turns.md."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from tests.fakes.openai import FakeOpenAI, Says, calls, hangs_up, refuses, says, sends
from tests.workforce.turns.conftest import Desk
from workforce import toolsets
from workforce.toolsets import Tool, Turn
from workforce.turns import calling

KEY = "sk-very-secret"
MESSAGE = "Who opens the door, my-own-words?"
OpenDesk = Callable[..., Desk]


@pytest.fixture(autouse=True)
def endpoint_settings(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WORKFORCE_MODEL_API_KEY = KEY
    settings.TURN_SECONDS, settings.TURN_MODEL_CALLS, settings.TURN_TOOL_CALLS = 10, 4, 5
    monkeypatch.setattr(calling, "BACK_OFF", (0.01, 0.01))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


class Floor(BaseModel):
    floor: int


@pytest.fixture(autouse=True)
def bell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every turn is offered the tool ``ring-bell``."""

    def ring(turn: Turn, input: Floor) -> dict[str, Any]:
        return {"rang": input.floor}

    tool = Tool("ring-bell", "Rings the bell of a floor.", Floor, ring)
    monkeypatch.setattr(toolsets, "_TOOLSETS", {"bell": lambda turn: [tool]})


def take(desk: OpenDesk, fake: FakeOpenAI, settings: Any, model: str = "some-model") -> Any:
    settings.WORKFORCE_MODEL_BASE_URL = fake.url
    opened = desk(settings={"model": model})
    return opened.say(MESSAGE), opened


FAULTS: list[tuple[str, list[Says], str, int]] = [
    ("a bad key", [refuses(401, KEY)], "model-key-refused", 1),
    ("a key without rights", [refuses(403, KEY)], "model-key-refused", 1),
    ("an unknown model", [refuses(404, MESSAGE, code="model_not_found")], "unknown-model", 1),
    ("a refused call", [refuses(400, MESSAGE)], "model-refused", 1),
    ("a refused size", [refuses(413, MESSAGE)], "model-refused", 1),
    ("no quota", [refuses(429, MESSAGE, code="insufficient_quota")], "model-refused", 1),
    ("a long turn", [refuses(400, MESSAGE, code="context_length_exceeded")], "model-refused", 1),
    ("a rate limit that stays", [refuses(429, MESSAGE)], "model-busy", 3),
    ("an overload that stays", [refuses(503, MESSAGE)], "model-busy", 3),
    ("an endpoint that fails", [refuses(500, MESSAGE)], "model-failed", 1),
    ("a bad gateway", [sends("<html>oops</html>", status=502, type="text/html")], "model-failed", 1),
    ("a connection that ends", [hangs_up()], "model-unreachable", 3),
    ("not JSON", [sends("certainly! " + MESSAGE)], "model-answer-unreadable", 1),
    ("a page", [sends("<html>" + MESSAGE, type="text/html")], "model-answer-unreadable", 1),
    ("JSON of another shape", [sends(f'{{"hello": "{MESSAGE}"}}')], "model-answer-unreadable", 1),
    ("a list", [sends("[1, 2]")], "model-answer-unreadable", 1),
    ("null", [sends("null")], "model-answer-unreadable", 1),
    ("no choices", [sends('{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}')],
     "model-answer-unreadable", 1),
    ("nothing", [says(None)], "empty-answer", 1),
    ("blanks", [says(" \n ")], "empty-answer", 1),
    ("tools without end", [calls(("ring-bell", {"floor": 1}))], "turn-limit-reached", 4),
    ("many tools at once", [calls(*[("ring-bell", {"floor": 1})] * 6)], "turn-limit-reached", 1),
    ("unknown tools without end", [calls(("sing", {}))], "turn-limit-reached", 4),
]  # fmt: skip


@pytest.mark.parametrize(
    ("replies", "code", "times"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_turn__fails_with_a_code(
    replies: list[Says],
    code: str,
    times: int,
    desk: OpenDesk,
    settings: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeOpenAI(*replies) as fake:
        request, opened = take(desk, fake, settings)
    assert (request.status, request.error["code"], len(fake.asked)) == ("failed", code, times)
    items = opened.items()
    assert items[0] == ("message", {"role": "user", "text": MESSAGE})
    assert items[-1] == ("error", {"code": code, "message": request.error["message"]})
    said = str(request.error) + caplog.text
    assert KEY not in said and "my-own-words" not in said
    assert code == "empty-answer" or "some-model" in said or "TURN_" in said


MENDED: list[tuple[str, list[Says], int]] = [
    ("a rate limit", [refuses(429), refuses(429), says("The porter.")], 3),
    ("an overload", [refuses(503), says("The porter.")], 2),
    ("a lost connection", [hangs_up(), says("The porter.")], 2),
    ("an unknown tool", [calls(("sing", {"song": "x"})), says("The porter.")], 2),
    ("bad arguments", [calls(("ring-bell", {"floor": "up"})), says("The porter.")], 2),
    ("arguments that are no JSON", [calls(("ring-bell", "{floor")), says("The porter.")], 2),
    ("arguments that are no object", [calls(("ring-bell", "[1]")), says("The porter.")], 2),
]


@pytest.mark.parametrize(("replies", "times"), [row[1:] for row in MENDED], ids=[row[0] for row in MENDED])
def test_turn__goes_on(replies: list[Says], times: int, desk: OpenDesk, settings: Any) -> None:
    with FakeOpenAI(*replies) as fake:
        request, _ = take(desk, fake, settings)
    assert (request.status, request.output, len(fake.asked)) == ("completed", {"text": "The porter."}, times)


@pytest.mark.parametrize(
    ("call", "told", "kept"),
    [
        (
            ("sing", {"song": "x"}),
            "Unknown tool",
            "unknown-tool: there is no tool 'sing'; offered: ring-bell",
        ),
        (("ring-bell", {"floor": "up"}), "invalid-input: floor", "invalid-input: floor"),
        (("ring-bell", "{floor"), "invalid-input: the arguments", "invalid-input: the arguments"),
        (("ring-bell", '"x"'), "invalid-input: the arguments", "invalid-input: the arguments"),
    ],
)
def test_bad_call__is_told_to_the_model_and_kept(
    call: Any, told: str, kept: str, desk: OpenDesk, settings: Any
) -> None:
    with FakeOpenAI(calls(call), says("Sorry.")) as fake:
        request, opened = take(desk, fake, settings)
    assert request.status == "completed"
    answers = fake.asked[1].texts("tool")
    assert len(answers) == 1 and told in answers[0]
    tools = [data for type, data in opened.items() if type == "tool_output"]
    assert [data["tool"] for data in tools] == [call[0]]
    assert tools[0]["output"]["ok"] is False and kept in tools[0]["output"]["error"]


def test_turn__of_an_endpoint_that_is_down(desk: OpenDesk, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings.WORKFORCE_MODEL_BASE_URL = f"http://127.0.0.1:{port}/v1"
    request = desk(settings={"model": "some-model"}).say()
    assert request.error["code"] == "model-unreachable"
    assert "WORKFORCE_MODEL_BASE_URL" in request.error["message"]


def test_turn__of_a_slow_endpoint_ends_in_time(desk: OpenDesk, settings: Any) -> None:
    settings.TURN_SECONDS = 1
    started = time.monotonic()
    with FakeOpenAI(says("Late.", delay=30)) as fake:
        request, _ = take(desk, fake, settings)
    assert request.error["code"] == "turn-too-long"
    assert "TURN_SECONDS" in request.error["message"]
    assert time.monotonic() - started < 5


def test_retry__waits_as_long_as_the_endpoint_says(desk: OpenDesk, settings: Any) -> None:
    started = time.monotonic()
    with FakeOpenAI(refuses(429, retry_after="1"), says("Now.")) as fake:
        request, _ = take(desk, fake, settings)
    assert request.status == "completed"
    assert time.monotonic() - started >= 1


def test_retry__waits_for_nothing_that_the_turn_s_time_does_not_hold(desk: OpenDesk, settings: Any) -> None:
    started = time.monotonic()
    with FakeOpenAI(refuses(429, retry_after="60"), says("Now.")) as fake:
        request, _ = take(desk, fake, settings)
    assert (request.error["code"], len(fake.asked)) == ("model-busy", 1)
    assert time.monotonic() - started < 5


def test_tokens__are_kept_of_every_call(desk: OpenDesk, settings: Any) -> None:
    ring = calls(("ring-bell", {"floor": 2}), tokens=(10, 1))
    with FakeOpenAI(ring, says("Done.", tokens=(20, 2))) as fake:
        request, _ = take(desk, fake, settings)
    assert (request.status, request.input_tokens, request.output_tokens) == ("completed", 30, 3)


def test_tokens__are_kept_of_a_failed_turn(desk: OpenDesk, settings: Any) -> None:
    with FakeOpenAI(calls(("ring-bell", {"floor": 2}), tokens=(10, 1)), refuses(400)) as fake:
        request, _ = take(desk, fake, settings)
    assert (request.status, request.input_tokens, request.output_tokens) == ("failed", 10, 1)


def test_call__carries_the_key_the_name_and_the_tools(desk: OpenDesk, settings: Any) -> None:
    with FakeOpenAI() as fake:
        take(desk, fake, settings, "openai:big:7b")
    [asked] = fake.asked
    assert asked.path == "/v1/chat/completions"
    assert (asked.body["model"], asked.headers["authorization"]) == ("big:7b", f"Bearer {KEY}")
    assert asked.tools == ["ring-bell"]


def test_anthropic__is_called_by_its_own_protocol(desk: OpenDesk, settings: Any) -> None:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": "The porter."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    with FakeOpenAI(refuses(529), sends(json.dumps(message))) as fake:
        settings.WORKFORCE_MODEL_BASE_URL = fake.url.removesuffix("/v1")
        request = desk(settings={"model": "anthropic:claude-x"}).say(MESSAGE)
    assert (request.output, request.input_tokens, request.output_tokens) == ({"text": "The porter."}, 5, 2)
    asked = fake.asked[-1]
    assert asked.path.split("?")[0] == "/v1/messages"
    assert KEY in {
        asked.headers.get("x-api-key"),
        asked.headers.get("authorization", "").removeprefix("Bearer "),
    }


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refuses(401, KEY), "model-key-refused"),
        (refuses(400, MESSAGE), "model-refused"),
        (sends('{"content": 7}'), "model-answer-unreadable"),
        (sends("null"), "model-answer-unreadable"),
    ],
)
def test_anthropic__fails_with_the_same_codes(reply: Any, code: str, desk: OpenDesk, settings: Any) -> None:
    with FakeOpenAI(reply) as fake:
        settings.WORKFORCE_MODEL_BASE_URL = fake.url.removesuffix("/v1")
        request = desk(settings={"model": "anthropic:claude-x"}).say(MESSAGE)
    assert (request.status, request.error["code"]) == ("failed", code)
