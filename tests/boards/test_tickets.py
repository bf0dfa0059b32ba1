"""Tickets: opaque, and only what was handed out is one."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boards.tickets import Ticket, read_ticket, write_ticket
from workforce.cursors import encode_cursor

PARTS = st.integers(min_value=0, max_value=2**62)


@settings(deadline=None)
@given(PARTS, PARTS, PARTS)
def test_ticket__reads_back(board: int, task: int, number: int) -> None:
    ticket = Ticket(board, task, number)
    text = write_ticket(ticket)
    assert read_ticket(text) == ticket
    assert set(text) <= set(string.ascii_letters + string.digits + "-_")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_ticket__anything_else_is_none(text: str) -> None:
    assert read_ticket(text) is None


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1], lambda t: t + "=", lambda t: t.swapcase(), lambda t: " " + t]
)
def test_ticket__a_changed_one_is_none(change) -> None:
    assert read_ticket(change(write_ticket(Ticket(1, 2, 3)))) is None


def test_ticket__a_cursor_is_none() -> None:
    assert read_ticket(encode_cursor("tasks:1", [1, 2, 3])) is None
