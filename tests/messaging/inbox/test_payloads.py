"""Payloads as text; secrets; what a search asks for; budgets; schemas."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.inbox.budgets import fitting, length_of
from messaging.inbox.fitting import misfits, schema_fault
from messaging.inbox.payloads import compact, folded, leaves_of, path_of, searchable, size_of
from messaging.inbox.secrets import find_secret
from messaging.inbox.wording import wanted_texts

letters = st.characters(exclude_categories=("Cs",))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(letters),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(letters, max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(values)
def test_size__is_that_of_compact_utf8_json(payload: Any) -> None:
    text = compact(payload)
    assert size_of(text) == len(text.encode())
    assert json.loads(text) == payload


@given(values)
def test_searchable__holds_every_text_and_no_nul(payload: Any) -> None:
    words = searchable(payload)
    assert "\x00" not in words
    for _, leaf in leaves_of(payload):
        assert folded(leaf if isinstance(leaf, str) else json.dumps(leaf)) in words


def test_texts__have_their_paths_in_order() -> None:
    payload = {"a": [{"b": "x"}, 1], "c": None}
    assert [(path_of(place), leaf) for place, leaf in leaves_of(payload)] == [
        ("a", "a"), ("a[0].b", "b"), ("a[0].b", "x"), ("a[1]", 1), ("c", "c"), ("c", None),
    ]  # fmt: skip


def test_texts__below_a_long_key_take_no_more_room_than_the_payload() -> None:
    payload = {"k" * 20_000: [1] * 20_000}  # every path written out would be 400 MB
    tracemalloc.start()
    assert searchable(payload).count("1") == 20_000
    assert find_secret(payload) is None
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("one", "other"),
    [("TASK-17", "task-17"), ("Straße", "STRASSE"), ("é", "e\u0301"), ("a \t\n b", "a b"), ("İ", "i̇")],
)
def test_folded__is_the_same(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("", []),
        ("  ", []),
        ("one two", ["one", "two"]),
        ('"one  two" THREE', ["one two", "three"]),
        ('"open and never closed', ["closed", '"open', "never", "and"]),
        ('say"hi"', ['say"hi"']),
        ('""', []),
        ("TASK-17 v1.2 a/b C++ what?", ["task-17", "what?", "v1.2", "a/b", "c++"]),
        ("100% a_b \\ -x OR", ["100%", "a_b", "-x", "or", "\\"]),
        ("same same", ["same"]),
    ],
)
def test_wanted_texts(query: str, texts: list[str]) -> None:
    assert wanted_texts(query) == texts


SECRETS = [
    "wfk_0123456789ab_" + "A" * 43,
    "-----BEGIN PRIVATE KEY-----\nMIIE",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_" + "a1" * 18,
    "github_pat_" + "a1" * 20,
    "xoxb-123456789012-abc",
    "AIza" + "a1" * 18,
    "sk_live_" + "a1" * 12,
    "sk-proj-abcDEF123456abcDEF123456",
    "123456789:AA" + "b" * 33,
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("shape", ["{}", "the key is {}.", "token={}"])
def test_secret__is_found_wherever_it_stands(secret: str, shape: str) -> None:
    text = shape.format(secret)
    for payload in (text, {"deep": [{"note": text}]}, {text: 1}):
        found = find_secret(payload)
        assert found is not None
        assert secret not in "".join(found)


@pytest.mark.parametrize("before", ["token%3D", "%22", "MY_KEY_", "x", "\\n", "é"])
@pytest.mark.parametrize("secret", [SECRETS[0], SECRETS[1], SECRETS[9]])
def test_secret__that_can_be_nothing_else_is_found_after_any_letter(before: str, secret: str) -> None:
    assert find_secret(f"{before}{secret}")


@pytest.mark.parametrize(
    "text",
    [
        "task-implementation-of-the-new-thing-1",
        "risk-assessment-of-2026-and-later-on",
        "sk-learn-is-a-library-of-some-kind",
        "wfk_ is how keys begin",
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "0123456789abcdef" * 8,
        "AKIA",
        "01a22cff-04de-79b6-ae6b-f3b7096ba6da",
    ],
)
def test_secret__is_not_seen_in_plain_text(text: str) -> None:
    assert find_secret({"a": text}) is None


def test_fitting__counts_the_whole_answer() -> None:
    frame, items = {"a": 1}, [{"n": number, "text": "é" * 10} for number in range(9)]
    for budget in range(100, 700, 7):
        kept = fitting(frame, items, budget)
        if kept:
            assert length_of({**frame, "items": items[:kept]}) <= budget
    assert fitting(frame, items, 10_000) == 9
    assert fitting(frame, items, 10) == 0


@pytest.mark.parametrize(
    "schema",
    [
        [],
        "x",
        None,
        {"type": "strong"},
        {"$ref": "#/$defs/none"},
        {"$ref": "https://example.com/schema.json"},
        {"required": "a"},
        {"pattern": "("},
    ],
)
def test_schema__that_is_none(schema: Any) -> None:
    assert schema_fault(schema)


def test_schema__names_each_misfit_by_its_path() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n", "who"]}
    assert schema_fault(schema) is None
    assert sorted(fault["path"] for fault in misfits(schema, {"n": "1"})) == ["n", "payload"]
    assert misfits(schema, {"n": 1, "who": None}) == []
    assert misfits(True, 1) == []
    assert len(misfits(False, 1)) == 1
    assert len(misfits({"items": {"type": "string"}}, list(range(100)))) == 20


@pytest.mark.parametrize("ref", ["#/$defs/none", "https://example.com/a.json", "#"])
def test_schema__whose_reference_fails_later_is_a_misfit_and_no_error(ref: str) -> None:
    (fault,) = misfits({"properties": {"a": {"$ref": ref}}, "allOf": [{"$ref": ref}]}, {"a": {"a": 1}})
    assert "schema" in fault["message"]


@pytest.mark.parametrize(
    ("items", "fits"),
    [
        ([1, 2, "1", True, None, [1], {"a": 1}], True),
        ([0, False, [0], [False], {"a": 0}, {"a": False}], True),
        ([1, 1.0], False),
        ([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], False),
        (["x", "y", "x"], False),
        ("xx", True),
    ],
)
def test_schema__unique_items_are_what_json_schema_calls_unique(items: Any, fits: bool) -> None:
    assert (misfits({"uniqueItems": True}, items) == []) is fits
    assert misfits({"uniqueItems": False}, items) == []


def test_schema__unique_items_are_looked_at_once_each() -> None:
    began = time.monotonic()
    assert misfits({"uniqueItems": True}, [{"a": number} for number in range(20_000)]) == []
    assert time.monotonic() - began < 20  # to compare every two takes ten minutes


def test_schema__a_number_too_large_to_be_divided_is_a_misfit() -> None:
    (misfit,) = misfits({"multipleOf": 0.5}, 10**400)
    assert "too large" in misfit["message"]
