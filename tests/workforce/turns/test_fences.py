"""Text of other people stays data, whatever it says."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workforce.turns.fences import Fence, clean, cut
from workforce.turns.prompting import Frame, lines_as_data, prompt_for

TOKEN = "0123456789abcdef"
FENCE = Fence(TOKEN)
#: Texts that know the marks, whole and in pieces that make one when another is taken out.
imitations = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [FENCE.opening, FENCE.closing, TOKEN, TOKEN[:8], TOKEN[8:], "<data-", "</data-", ">", "\n"]
        ),
    ),
    max_size=30,
).map("".join)


def inside(wrapped: str) -> str:
    assert wrapped.startswith(FENCE.opening + "\n") and wrapped.endswith("\n" + FENCE.closing)
    return wrapped[len(FENCE.opening) + 1 : -len(FENCE.closing) - 1]


@given(imitations)
def test_wrap__no_text_holds_a_mark(text: str) -> None:
    assert TOKEN not in inside(FENCE.wrap(text))


@given(st.text())
def test_wrap__keeps_text_that_does_not_know_the_token(text: str) -> None:
    assert TOKEN in text or inside(FENCE.wrap(text)) == clean(text)


@given(imitations, st.lists(st.fixed_dictionaries({"from": imitations, "text": imitations}), max_size=3))
def test_prompt__has_two_marks_for_each_text(text: str, before: list[dict[str, str]]) -> None:
    prompt = prompt_for(Frame(text), before, FENCE)
    marks = 2 if before else 1
    assert (prompt.count(FENCE.opening), prompt.count(FENCE.closing)) == (marks, marks)
    assert prompt.count(TOKEN) == 2 * marks


@given(st.lists(st.fixed_dictionaries({"from": st.text(), "text": st.text()}), max_size=5))
def test_lines__are_one_line_each(lines: list[dict[str, str]]) -> None:
    shown = lines_as_data(lines)
    assert [json.loads(line) for line in shown.split("\n") if line] == lines


def test_wrap__takes_out_a_token_that_is_put_together_by_taking_one_out() -> None:
    assert inside(FENCE.wrap(TOKEN[:8] + TOKEN + TOKEN[8:])) == ""


def test_fence__has_a_token_of_its_own() -> None:
    assert len({Fence().token for _ in range(100)}) == 100


@given(st.text(st.characters(categories=["Cs", "Lu"]) | st.just("\x00")))
def test_clean__can_be_sent_and_kept(text: str) -> None:
    assert "\x00" not in clean(text).encode().decode()


@given(st.text(max_size=50), st.integers(7, 60))
def test_cut__is_never_longer(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short) <= limit and (short == text or short.endswith("… [cut]"))
