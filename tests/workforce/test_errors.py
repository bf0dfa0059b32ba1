"""Every refusal has a code of its own kind, and a line in docs/errors.md."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import boards
import mailboxes
import messaging
import workforce
from workforce.errors import DomainError

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "errors.md"


def _refusals(of: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    for refusal in of.__subclasses__():
        yield refusal
        yield from _refusals(refusal)


def _ours() -> list[type[DomainError]]:
    for package in (workforce, boards, messaging, mailboxes):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    own = [DomainError, *_refusals()]
    return [refusal for refusal in own if not refusal.__module__.startswith("tests.")]


def _documented() -> dict[str, int]:
    rows = re.findall(r"^\| (\d{3}) \| (.+?) \|", DOCUMENT.read_text(), flags=re.MULTILINE)
    return {code: int(status) for status, codes in rows for code in re.findall(r"`([a-z0-9_-]+)`", codes)}


def test_codes__are_documented_with_their_status() -> None:
    documented = _documented()
    missing = {refusal.code: refusal.status for refusal in _ours() if refusal.code not in documented}
    assert missing == {}, "each needs a line in docs/errors.md: status, code, when, mend"
    wrong = {r.code: r.status for r in _ours() if documented[r.code] != r.status}
    assert wrong == {}


def test_codes__of_the_document_exist() -> None:
    # Two endings of a run that no caller is refused with.
    known = {refusal.code for refusal in _ours()} | {"internal-error", "abandoned"}
    assert set(_documented()) - known == set()


def test_codes__belong_to_one_refusal_each() -> None:
    codes = [refusal.code for refusal in _ours()]
    assert sorted(codes) == sorted(set(codes))


def test_refusals__have_words_and_a_status_of_a_refusal() -> None:
    for refusal in _ours():
        assert re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", refusal.code)
        assert HTTPStatus(refusal.status) >= HTTPStatus.BAD_REQUEST
        assert refusal.__doc__
