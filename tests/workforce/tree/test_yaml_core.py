from __future__ import annotations

import inspect
import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workforce.tree.problems import LoadFailure
from workforce.tree.yaml_core import MAX_DEPTH, MAX_DIGITS, load_mapping


def load(text: str) -> dict[str, Any]:
    return load_mapping(text, what="the text")


def fail(text: str) -> str:
    with pytest.raises(LoadFailure) as caught:
        load(text)
    assert caught.value.words.startswith("the text ")
    return caught.value.words


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        ("0", 0),
        ("-12", -12),
        ("+12", 12),
        ("007", 7),
        ("0o17", 15),
        ("0xfF", 255),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
    ],
)
def test_load_mapping__typed_by_the_core_schema(written: str, value: Any) -> None:
    loaded = load(f"a: {written}")["a"]
    assert loaded == value
    assert type(loaded) is type(value)


@pytest.mark.parametrize(
    "written",
    [
        *("yes", "no", "on", "off", "y", "n", "Yes", "NO", "On", "OFF", "tRUE", "nULL"),
        *(
            "2024-01-01",
            "2024-13-45",
            "2024-01-01T10:00:00Z",
            "12:30",
            "1:2:3",
            "1_000",
            "0b11",
            "0O7",
            "0XF",
        ),
        *(
            "-0x1",
            "+0o7",
            "0o8",
            "0xg",
            "1.2.3",
            ".",
            "+",
            "-x",
            "1e",
            "e3",
            "--1",
            "...x",
            ".Nan",
            "-.nan",
            ".iNF",
        ),
        *("=", "<<", "٣", "1 000", "R&D", "what?!", "a*b", "5%"),
    ],
)
def test_load_mapping__stays_text(written: str) -> None:
    assert load(f"a: {written}") == {"a": written}


@pytest.mark.parametrize(
    "written", ["'1'", '"true"', "'~'", '""', "'.nan'", '"2024-01-01"', "'@name'", '"*x"', '"!"']
)
def test_load_mapping__quoted_is_text(written: str) -> None:
    assert load(f"a: {written}") == {"a": written[1:-1]}


def test_load_mapping__block_scalars_and_merge_key_are_plain() -> None:
    assert load("a: |\n  1\n  &x *y !z\nb: >-\n  true\n<<: {c: 1}\n") == {
        "a": "1\n&x *y !z\n",
        "b": "true",
        "<<": {"c": 1},
    }


@pytest.mark.parametrize(
    "written", [".inf", "-.inf", "+.INF", ".Inf", ".nan", ".NaN", ".NAN", "1e999", "-1e999"]
)
def test_load_mapping__not_finite(written: str) -> None:
    assert f"line 2, column 4: {written} is not a finite number" in fail(f"x: 1\na: {written}")


@pytest.mark.parametrize("sign", ["", "-"])
def test_load_mapping__too_many_digits(sign: str) -> None:
    assert load(f"a: {sign}{'9' * MAX_DIGITS}") == {"a": int(sign + "9" * MAX_DIGITS)}
    for written in (
        f"{sign}{'9' * (MAX_DIGITS + 1)}",
        f"{sign}{'9' * 5000}",
        "0x" + "f" * 101,
        "0o" + "7" * 101,
    ):
        assert "line 1, column 4: a number has at most 100 digits" in fail(f"a: {written}")


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("a: 1\nb: 2\na: 3", "line 3, column 1", "the key 'a' is there twice"),
        ('a: 1\n"a": 3', "line 2, column 1", "the key 'a' is there twice"),
        ("x:\n  - {b: 1, b: 1}", "line 2, column 12", "the key 'b' is there twice"),
        ("1: x", "line 1, column 1", "a key must be text"),
        ("a:\n  true: x", "line 2, column 3", "a key must be text"),
        ("~: x", "line 1, column 1", "a key must be text"),
        ("? [a]\n: x", "line 1, column 3", "a key must be text"),
        ("a: &x 1", "line 1, column 4", "anchors are not read"),
        ("a: [&x 1]", "line 1, column 5", "anchors are not read"),
        ("b: 1\na: *x", "line 2, column 4", "aliases are not read"),
        ("a: {b: c, *x : d}", "line 1, column 11", "aliases are not read"),
        ("a: !!str 1", "line 1, column 4", "tags are not read"),
        ("a: ! 1", "line 1, column 4", "tags are not read"),
        ("a: !!python/object/apply:os.getcwd []", "line 1, column 4", "tags are not read"),
        ("!!map {a: 1}", "line 1, column 1", "tags are not read"),
        ("a: !<tag:yaml.org,2002:int> 1", "line 1, column 4", "tags are not read"),
        ("a: @name", "line 1, column 4", "put quotes around a value that starts with '@'"),
        ("a:\n  - x\n  - @name", "line 3, column 5", "put quotes around a value that starts with '@'"),
        ("a: `x`", "line 1, column 4", "starts with a backtick"),
        ("a: %x", "line 1, column 4", "starts with '%'"),
        ("a:\n\t- x", "line 2, column 1", "not with tabs"),
        ("a: b: c", "line 1, column 5", "put quotes around a value that holds ': '"),
        ("b: 1\na: [1, 2", "line 2, column 9", "from line 2, column 4"),
        ('b: 1\na: "x', "line 2, column 6", "from line 2, column 4"),
        ("a: 1\n...\nb: 2", "line 3, column 1", "document"),
        ("a: 1\n--- \nb: 2", "line 2, column 1", "another document"),
        ("é: 1\na: \x01", "line 2, column 4", "U+0001 is not allowed"),
        ("a: \ufffe", "line 1, column 4", "U+FFFE is not allowed"),
        ('a: "\\ud800"', "line 1, column 7", "Unicode"),
        ('b: 1\na: "x\\0"', "line 2, column 4", "a NUL character"),
        ('"a\\0": 1', "line 1, column 1", "a NUL character"),
        ("- a", "line 1, column 1", "must be a mapping"),
        ("just text", "line 1, column 1", "must be a mapping"),
        ("# c\n42", "line 2, column 1", "must be a mapping"),
    ],
)
def test_load_mapping__refused_with_line_and_column(text: str, where: str, words: str) -> None:
    found = fail(text)
    assert f"{where}: " in found
    assert words in found


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_load_mapping__empty(text: str) -> None:
    assert "is empty" in fail(text)


def test_load_mapping__counts_from_the_first_line_given() -> None:
    with pytest.raises(LoadFailure, match="line 11, column 4"):
        load_mapping("a: 1\nb: @x", what="the text", first_line=10)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_load_mapping__nesting(opening: str, closing: str) -> None:
    deepest = MAX_DEPTH - 1
    value = load(f"k: {opening * deepest}{closing * deepest}")["k"]
    for _ in range(deepest - 1):
        value = value[0] if isinstance(value, list) else value["a"]
    assert value in ([], {"a": None}, {})
    column = 4 + len(opening) * deepest
    for levels in (MAX_DEPTH, 400, 990):
        found = fail(f"k: {opening * levels}{closing * levels}")
        assert f"line 1, column {column}: it is nested too deeply" in found


@pytest.mark.parametrize("text", ["k: " + "[" * 100_000, "k:\n  " + "- " * 100_000 + "x", "? " * 50_000])
def test_load_mapping__absurd_nesting_has_a_place(text: str) -> None:
    assert "column" in fail(text)


def test_load_mapping__called_with_little_stack_left() -> None:
    limit, text = sys.getrecursionlimit(), f"k: {'[' * 90}{']' * 90}"
    sys.setrecursionlimit(len(inspect.stack(0)) + 60)
    try:
        words = fail(text)
    finally:
        sys.setrecursionlimit(limit)
    assert "line 1, column 1: it is nested too deeply" in words
    assert load(text)


def test_load_mapping__anchor_bomb_is_refused_before_it_grows() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    assert "line 1, column 5: anchors are not read" in fail("\n".join(lines))


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_load_mapping__any_text_loads_as_strict_json_or_fails_in_words(text: str) -> None:
    for written in (text, f"a: {text}", f"a: [{text}]", f'a: "{text}"'):
        try:
            value = load(written)
        except LoadFailure as failure:
            assert "line " in failure.words or "is empty" in failure.words
        else:
            assert json.loads(json.dumps(value, allow_nan=False)) == value
            assert "\\u0000" not in json.dumps(value)


def test_load_mapping__text_that_is_no_unicode_fails_in_words() -> None:
    assert "line 1, column 1" in fail("a: \ud800")
