"""Strict JSON with the path of the fault, sizes with the figure."""

from __future__ import annotations

from typing import Any

import pytest

from boards.limits import METADATA_BYTES, VALUE_BYTES, check_metadata, check_value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "value: nan is not JSON"),
        ({"a": [1, {"b": float("inf")}]}, "a[1].b: inf is not JSON"),
        ([[float("-inf")]], "[0][0]: -inf"),
        ({"a": {1: "x"}}, "a: the key 1 is not text"),
        ({None: 1}, "value: the key None"),
        ({"a": {1, 2}}, "a: set is not JSON"),
        ({"a": (1,)}, "a: tuple is not JSON"),
        ({"a": b"x"}, "a: bytes is not JSON"),
        ({"a": "\ud800"}, "a: contains a lone surrogate"),
        ({"a": {"\udfff": 1}}, "a: a key contains a lone surrogate"),
        ({"k" * 500: float("nan")}, "k" * 100 + ": nan"),
    ],
)
def test_check__names_the_path(value: Any, words: str) -> None:
    with pytest.raises(ValueError) as refused:
        check_value(value)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize("value", [None, True, 0, -0.5, "", "é\x00", [], {}, {"": [None, {"a": 10**30}]}])
def test_check__takes_all_of_json(value: Any) -> None:
    assert check_value(value) is value


def test_check__sizes_in_bytes_of_utf8() -> None:
    assert check_value("x" * (VALUE_BYTES - 2))
    with pytest.raises(ValueError, match=f"has {VALUE_BYTES + 1} bytes as JSON; the limit is {VALUE_BYTES}"):
        check_value("x" * (VALUE_BYTES - 1))
    with pytest.raises(ValueError, match="the limit is 262144"):
        check_value("é" * (VALUE_BYTES // 2))
    assert check_metadata({"a": "x" * (METADATA_BYTES - 8)})
    with pytest.raises(ValueError, match="the limit is 16384"):
        check_metadata({"a": "x" * (METADATA_BYTES - 7)})
