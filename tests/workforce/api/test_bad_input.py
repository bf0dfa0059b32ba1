"""Whatever body a caller sends is answered with a refusal that says what is wrong, and nothing is written."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.clients import problem
from tests.conftest import Player
from tests.workforce.api.sending import POST, Unchanged, opened, posting, send
from workforce.api.parsing import MAX_DEPTH

__all__ = ["opened"]
pytestmark = pytest.mark.usefixtures("opened")

NOT_JSON = {
    "words": (b"hello", "line 1"),
    "half an object": (b'{"input":', "not JSON"),
    "two values": (b"{} {}", "Extra data"),
    "a trailing comma": (b'{"input":{},}', "not JSON"),
    "single quotes": (b"{'input':{}}", "not JSON"),
    "bytes that are no UTF-8": (b'{"input":{"body":"\xff\xfe"}}', "UTF-8"),
    "UTF-16": ('{"input":{}}'.encode("utf-16"), "UTF-8"),
    "a raw surrogate": (b'{"input":{"body":"\xed\xa0\x80"}}', "UTF-8"),
    "a raw NUL": (b'{"input":{"body":"a\x00b"}}', "control character"),
    "NaN": (posting("NaN"), "NaN"),
    "Infinity": (posting("Infinity"), "Infinity"),
    "minus Infinity": (posting("-Infinity"), "-Infinity"),
    "1e999": (posting("1e999"), "too large"),
    "an integer of 10,000 digits": (posting("9" * 10_000), "digits"),
    "a lone surrogate": (posting(r'"\ud800"'), "surrogate"),
    "a lone surrogate in a key": (rb'{"metadata":{"\udfff":1}}', "surrogate"),
    "a key twice": (b'{"input":{"body":"a","body":"b"}}', "'body' stands twice"),
    "userId twice": (b'{"userId":"ada","userId":"bob"}', "'userId' stands twice"),
    "20,000 levels of lists": (posting("[" * 20_000 + "]" * 20_000), str(MAX_DEPTH)),
    "20,000 levels of objects": (posting('{"a":' * 20_000 + "1" + "}" * 20_000), str(MAX_DEPTH)),
    "20,000 levels that do not end": (b"[" * 20_000, str(MAX_DEPTH)),
    "one level too many": (posting("[" * MAX_DEPTH + "]" * MAX_DEPTH), str(MAX_DEPTH)),
}


@pytest.mark.parametrize("case", NOT_JSON)
def test_body__that_is_no_json(owner: Player, nothing_written: Unchanged, case: str) -> None:
    body, words = NOT_JSON[case]
    with nothing_written():
        answer = send(owner, body)
    problem(answer, 400, "invalid-json", words)
    assert len(answer.content) < 600


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"null", b"true", b"1", b"[{}]"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", POST),
        ("POST", "/api/flows/mailbox/actions/post"),
        ("POST", "/api/sessions"),
        ("PATCH", "/api/sessions/support.help"),
        ("DELETE", "/api/sessions/support.help"),
    ],
)
def test_body__that_is_no_object(
    owner: Player, nothing_written: Unchanged, method: str, path: str, body: bytes
) -> None:
    with nothing_written():
        answer = send(owner, body, method=method, path=path)
    problem(answer, 400, "invalid-input", "object")


BAD_FIELDS: dict[str, tuple[str, str, Any, str]] = {
    "NUL in a line": ("POST", POST, {"input": {"body": "a\x00b"}}, "body"),
    "NUL in an author": ("POST", POST, {"input": {"body": "a", "author": "\x00"}}, "author"),
    "a number as a line": ("POST", POST, {"input": {"body": 5}}, "body"),
    "a huge number as a line": ("POST", POST, {"input": {"body": 10**4000}}, "body"),
    "no line": ("POST", POST, {"input": {}}, "body"),
    "no input": ("POST", POST, {}, "body"),
    "null as the input": ("POST", POST, {"input": None}, "input"),
    "a list as the input": ("POST", POST, {"input": []}, "input"),
    "text as the input": ("POST", POST, {"input": "body"}, "input"),
    "a blank line": ("POST", POST, {"input": {"body": " \n"}}, "body"),
    "a line over its length": ("POST", POST, {"input": {"body": "x" * 65_537}}, "body"),
    "metadata that is a list": ("POST", POST, {"input": {"body": "a"}, "metadata": []}, "metadata"),
    "a requestId that is none": ("POST", POST, {"input": {"body": "a"}, "requestId": "1"}, "requestId"),
    "a requestId without hyphens": (
        "POST", POST, {"input": {"body": "a"}, "requestId": "0" * 32}, "requestId",
    ),
    "after that is negative": (
        "POST", "/api/flows/mailbox/support.help/actions/read", {"input": {"after": -1}}, "after",
    ),
    "after that is huge": (
        "POST", "/api/flows/mailbox/support.help/actions/read", {"input": {"after": 10**30}}, "after",
    ),
    "after that is true": (
        "POST", "/api/flows/mailbox/support.help/actions/read", {"input": {"after": True}}, "after",
    ),
    "NUL in a title": ("POST", "/api/sessions", {"flowKind": "mailbox", "title": "\x00"}, "title"),
    "NUL in a tag": ("PATCH", "/api/sessions/support.help", {"tags": ["\x00"]}, "tags.0"),
    "null as a title": ("PATCH", "/api/sessions/support.help", {"title": None}, "title"),
    "too many tags": ("PATCH", "/api/sessions/support.help", {"tags": ["a"] * 51}, "tags"),
    "a session id of blanks": ("POST", "/api/sessions", {"flowKind": "mailbox", "sessionId": " "}, "sessionId"),
    "a session id with a line end": (
        "POST", "/api/sessions", {"flowKind": "mailbox", "sessionId": "a\n"}, "sessionId",
    ),
    "no kind": ("POST", "/api/sessions", {}, "flowKind"),
    "userId that is a number": ("POST", POST, {"input": {"body": "a"}, "userId": 5}, "userId"),
    "userId that is a list": ("POST", POST, {"input": {"body": "a"}, "userId": ["ada"]}, "userId"),
    "userId that is an object": ("DELETE", "/api/sessions/support.help", {"userId": {}}, "userId"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FIELDS)
def test_field__of_a_wrong_value(owner: Player, nothing_written: Unchanged, case: str) -> None:
    method, path, body, field = BAD_FIELDS[case]
    with nothing_written():
        answer = owner.api.call(method, path, body)
    told = problem(answer, 400, "invalid-input")
    assert field in [entry["path"] for entry in told["errors"]]
    assert len(answer.content) < 2000


UNKNOWN_KEYS = [
    ("POST", POST, {"input": {"body": "a"}, "metdata": {}}, "did you mean 'metadata'"),
    ("POST", POST, {"input": {"body": "a", "auhtor": "x"}}, "did you mean 'author'"),
    ("POST", "/api/sessions", {"flowKind": "mailbox", "titel": "x"}, "did you mean 'title'"),
    ("PATCH", "/api/sessions/support.help", {"Tags": []}, "did you mean 'tags'"),
    ("DELETE", "/api/sessions/support.help", {"force": True}, "force"),
    ("POST", POST, {"input": {"body": "a"}, "z" * 5000: 1}, "unknown key"),
]


@pytest.mark.parametrize(("method", "path", "body", "words"), UNKNOWN_KEYS)
def test_key__that_is_unknown(
    owner: Player, nothing_written: Unchanged, method: str, path: str, body: Any, words: str
) -> None:
    with nothing_written():
        answer = owner.api.call(method, path, body)
    problem(answer, 400, "invalid-input", words)
    assert len(answer.content) < 2000


def test_payload__comes_back_unchanged(owner: Player) -> None:
    """What is not text of a column may hold anything that JSON can: NUL and large numbers too."""
    kept = {"nul": "a\x00b", "large": 10**300, "tiny": 1e-300, "deep": [[[[{}]]]], "": "empty", "ü": "🙂"}
    owner.api.call("PATCH", "/api/sessions/support.help", {"metadata": kept})
    assert owner.api.get("/api/sessions/support.help").json()["metadata"] == kept


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "x",
    ],
)
def test_content_type__that_is_not_json(owner: Player, nothing_written: Unchanged, content_type: str) -> None:
    with nothing_written():
        answer = send(owner, posting('"a"'), content_type=content_type)
    problem(answer, 415, "not-json")


def test_content_type__none_is_not_json(owner: Player, nothing_written: Unchanged) -> None:
    """A page of another site can send a body without a type, and the browser asks nobody first."""
    problem(send(owner, posting('"a"'), content_type=""), 415, "not-json")


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"]
)
def test_content_type__that_is_json(owner: Player, content_type: str) -> None:
    assert send(owner, posting('"a"'), content_type=content_type).status_code == 202


@pytest.mark.parametrize(
    "form", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data"]
)
def test_content_type__of_a_form_from_a_browser(owner: Player, nothing_written: Unchanged, form: str) -> None:
    """Looking for the CSRF token must not read the body away, nor fall over it."""
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.force_login(owner.user)
    browser.cookies["csrftoken"] = "a" * 32
    with nothing_written():
        answer = browser.generic(
            "POST", POST, data=b"--x\r\nbroken", content_type=form, headers={"X-CSRFToken": "a" * 32}
        )
    problem(answer, 415, "not-json")


def test_size__over_the_limit(owner: Player, nothing_written: Unchanged, settings: Any) -> None:
    body = posting('"' + "x" * settings.MAX_BODY_BYTES + '"')
    with nothing_written():
        told = problem(send(owner, body), 413, "too-large", str(len(body)), str(settings.MAX_BODY_BYTES))
    assert (told["size"], told["limit"]) == (len(body), settings.MAX_BODY_BYTES)


def test_size__at_the_limit(owner: Player, settings: Any) -> None:
    body = b'{"metadata":{"x":"' + b"x" * (settings.MAX_BODY_BYTES - 21) + b'"}}'
    assert len(body) == settings.MAX_BODY_BYTES
    answer = send(owner, body, path="/api/flows/mailbox/support.help/actions/read")
    assert answer.status_code == 202, answer.content[:300]
