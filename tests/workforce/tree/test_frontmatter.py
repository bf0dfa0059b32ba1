from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workforce.tree.frontmatter import parse_record, split_frontmatter
from workforce.tree.problems import LoadFailure


@pytest.mark.parametrize(
    ("text", "block", "body"),
    [
        ("---\na: 1\n---\nBody\n", "a: 1\n", "Body\n"),
        ("--- \t\na: 1\n---  \nBody", "a: 1\n", "Body"),
        ("---\na: 1\n---", "a: 1\n", ""),
        ("---\na: 1\n---\n", "a: 1\n", ""),
        ("---\na: 1\n---\n\n\nBody\n\n", "a: 1\n", "\n\nBody\n\n"),
        ("---\r\na: 1\r\n---\r\n\r\nOne\r\nTwo\r\n", "a: 1\r\n", "\nOne\nTwo\n"),
        ("---\na: 1\n---\nOne\n---\nTwo\n", "a: 1\n", "One\n---\nTwo\n"),
        ("---\na: |\n  ---\n---\nBody", "a: |\n  ---\n", "Body"),
        ("---\na: 1\n----\n--- b\n---\nBody", "a: 1\n----\n--- b\n", "Body"),
        ("---\na: 1\n---\n  indented\r", "a: 1\n", "  indented\r"),
        ("---\n---\nBody", "", "Body"),
    ],
)
def test_split_frontmatter__two_fences(text: str, block: str, body: str) -> None:
    assert split_frontmatter(text) == (block, body)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "first line must be exactly '---'"),
        ("Just text\n", "first line must be exactly '---'"),
        ("\n---\na: 1\n---\n", "first line must be exactly '---'"),
        (" ---\na: 1\n---\n", "first line must be exactly '---'"),
        ("----\na: 1\n----\n", "first line must be exactly '---'"),
        ("--- a\n---\n", "first line must be exactly '---'"),
        ("---", "not closed"),
        ("---\na: 1\n", "not closed"),
        ("---\na: 1\n ---\n", "not closed"),
        ("---\na: 1\n...\n", "not closed"),
        ("---\na: 1\n---x\n", "not closed"),
    ],
)
def test_split_frontmatter__no_frontmatter(text: str, words: str) -> None:
    with pytest.raises(LoadFailure) as caught:
        split_frontmatter(text)
    assert caught.value.words.startswith("no frontmatter: ")
    assert words in caught.value.words


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a: 1", "", "text", " ---", "#"])), st.text())
def test_split_frontmatter__loses_nothing(lines: list[str], body: str) -> None:
    block = "".join(f"{line}\n" for line in lines)
    for newline in ("\n", "\r\n"):
        text = f"---\n{block}---\n{body}".replace("\r\n", "\n").replace("\n", newline)
        found, below = split_frontmatter(text)
        assert found == block.replace("\n", newline)
        assert below == body.replace("\r\n", "\n").replace("\n", newline).replace("\r\n", "\n")


def test_parse_record__declared_as_written_with_unknown_keys() -> None:
    declared, body = parse_record("---\nzeta: [1, {b: x}]\ncontent: c\non: off\nhandler: h\n---\nText\n")
    assert declared == {"zeta": [1, {"b": "x"}], "content": "c", "on": "off", "handler": "h"}
    assert list(declared) == ["zeta", "content", "on", "handler"]
    assert body == "Text\n"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("---\na: 1\nb: @x\n---\n", "line 3, column 4"),
        ("---\r\na: 1\r\nb: @x\r\n---\r\n", "line 3, column 4"),
        ("---\n# é 🎈\né🎈: @x\n---\n", "line 3, column 5"),
    ],
)
def test_parse_record__line_and_column_of_the_file(text: str, where: str) -> None:
    with pytest.raises(LoadFailure, match=where):
        parse_record(text)


@pytest.mark.parametrize(
    ("text", "where"),
    [("---\na: 1\0\n---\n", "line 2, column 5"), ("---\na: 1\n---\nOne\nT\0wo", "line 5, column 2")],
)
def test_parse_record__nul(text: str, where: str) -> None:
    with pytest.raises(LoadFailure, match=f"{where}: a NUL character"):
        parse_record(text)


def test_parse_record__empty_block() -> None:
    with pytest.raises(LoadFailure, match="the frontmatter is empty"):
        parse_record("---\n# nothing\n---\nBody")
