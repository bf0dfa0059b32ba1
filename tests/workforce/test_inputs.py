"""Refusals of inputs: every bad field by its path, and never its value."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field

from workforce.errors import InvalidInput
from workforce.inputs import SHOWN, validate_input
from workforce.kinds import ClosedModel, NoInput
from workforce.texts import Body


class Inner(ClosedModel):
    count: int = Field(ge=1)


class Outer(ClosedModel):
    body: str = Field(max_length=5)
    max_attempts: int | None = Field(default=None, alias="maxAttempts")
    inner: list[Inner] = []


def refused(value: Any, model: type[ClosedModel] = Outer, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInput) as caught:
        validate_input(model, value, **more)
    errors = caught.value.data["errors"]
    for error in errors:
        assert f"{error['path']}: {error['message']}" in caught.value.words
    assert (caught.value.code, caught.value.status) == ("invalid-input", 400)
    return [(error["path"], error["message"]) for error in errors]


def test_validate__the_value() -> None:
    value = validate_input(Outer, {"body": "x", "maxAttempts": 3, "inner": [{"count": 1}]})
    assert (value.body, value.max_attempts, value.inner[0].count) == ("x", 3, 1)


def test_validate__every_fault_at_once() -> None:
    found = dict(refused({"maxAttempts": "3", "inner": [{"count": 1}, {"count": 0}, 5], "bdoy": "x"}))
    assert set(found) == {"body", "maxAttempts", "inner.1.count", "inner.2", "bdoy"}
    assert found["body"] == "is required"
    assert found["bdoy"] == "unknown key; did you mean 'body'?"
    assert found["inner.2"] == "must be an object"


def test_validate__unknown_keys_name_the_known_ones_as_they_are_written() -> None:
    assert refused({"body": "x", "zzz": 1}) == [("zzz", "unknown key; known: body, maxAttempts, inner")]
    assert refused({"body": "x", "maxAttempt": 1})[0][1].endswith("'maxAttempts'?")
    assert refused({"body": "x", "max_attempts": 1})[0][0] == "max_attempts"
    assert refused({"x": 1}, NoInput) == [("x", "unknown key; known: none")]
    assert refused({"body": "x", "inner": [{"count": 1, "cuont": 2}]}) == [("inner.0.cuont", "unknown key")]


@pytest.mark.parametrize("value", [None, [], "x", 5, True, [{"body": "x"}]])
def test_validate__no_object(value: Any) -> None:
    assert refused(value) == [("input", "must be an object")]


@pytest.mark.parametrize("count", [True, 1.0, "1", None])
def test_validate__types_are_strict(count: Any) -> None:
    assert [path for path, _ in refused({"body": "x", "inner": [{"count": count}]})] == ["inner.0.count"]


def test_validate__below_a_place() -> None:
    assert refused({}, at="settings") == [("settings.body", "is required")]


def test_validate__the_value_is_never_told() -> None:
    with pytest.raises(InvalidInput) as caught:
        validate_input(Outer, {"body": "secret words", "maxAttempts": "secret words"})
    assert "secret" not in caught.value.words + str(caught.value.data)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_validate__many_faults_and_long_names_are_cut() -> None:
    found = refused({"body": "x", **{f"key-{number}": 1 for number in range(500)}})
    assert len(found) == SHOWN
    with pytest.raises(InvalidInput, match="and 480 more"):
        validate_input(Outer, {"body": "x", **{f"key-{number}": 1 for number in range(500)}})
    ((path, _),) = refused({"body": "x", "k" * 100_000: 1})
    assert path == "k" * 100 + "…"


def test_validate__words_of_our_own_stand_alone() -> None:
    class Line(ClosedModel):
        body: Body

    assert refused({"body": " "}, Line) == [("body", "is blank; write something")]
    assert refused({"body": 5}, Line) == [("body", "must be a valid string")]
    assert refused({"body": "x" * 6}) == [("body", "must have at most 5 characters")]
