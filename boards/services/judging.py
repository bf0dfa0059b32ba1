"""Whether somebody may file on a board: asked of the app that holds it."""

from __future__ import annotations

from collections.abc import Callable

from boards.models import Board

#: Raises a refusal when what holds the board takes no filings now, or the author is not one of its members.
FilingCheck = Callable[[Board, str | None], None]
_CHECKS: list[FilingCheck] = []


def register_filing_check(check: FilingCheck) -> None:
    """Have filings checked. Called from ``AppConfig.ready()``; the same check again is no second one."""
    if check not in _CHECKS:
        _CHECKS.append(check)


def check_author(board: Board, author: str | None) -> None:
    """Raise the holder's refusal of a filing in this author's name; no author is not checked.

    Every door asks this before it files for a caller, so that all of them refuse the same.
    """
    for check in _CHECKS:
        check(board, author)
