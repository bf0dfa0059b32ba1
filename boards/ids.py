"""Minting of task ids."""

from __future__ import annotations

import itertools
import secrets

from workforce import clock

_counter = itertools.count(1)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def new_task_id() -> str:
    """``task_<ms base 36>_<n>_<hex>``: readable in order of time, unique without asking anybody."""
    return f"task_{_base36(clock.to_ms(clock.now()))}_{next(_counter)}_{secrets.token_hex(4)}"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
