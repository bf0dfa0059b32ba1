"""Calling the API as the tests' cast does."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client

SHOW = "return=representation"


class Api:
    """A client of the API with one key, or with none."""

    def __init__(self, key: str | None = None, **headers: str) -> None:
        self.client = Client()
        self.headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **headers}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """Any call; header names are written with underscores (``Idempotency_Key="k"``)."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.generic(
            method,
            path,
            data=b"" if body is None else json.dumps(body).encode(),
            content_type="application/json",
            headers={**self.headers, **named},
        )

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.call("POST", path, body, **headers)

    def act(
        self,
        address: str,
        action: str,
        input: dict[str, Any] | None = None,
        *,
        kind: str = "mailbox",
        envelope: dict[str, Any] | None = None,
        **headers: str,
    ) -> HttpResponse:
        """Run an action of a session and ask for its output."""
        body = {"input": input or {}, **(envelope or {})}
        return self.post(f"/api/flows/{kind}/{address}/actions/{action}", body, **{"Prefer": SHOW, **headers})

    def line(self, address: str, body: str = "Hello.", **input: Any) -> dict[str, Any]:
        """Post a line that must be accepted; the line."""
        answer = self.act(address, "post", {"body": body, **input})
        assert answer.status_code == 200, answer.content
        line: dict[str, Any] = answer.json()["output"]
        return line

    def transcript(self, address: str) -> list[dict[str, Any]]:
        """The lines that ``read`` shows."""
        answer = self.act(address, "read")
        assert answer.status_code == 200, answer.content
        lines: list[dict[str, Any]] = answer.json()["output"]["transcript"]
        return lines


def problem(answer: HttpResponse, status: int, code: str, *words: str) -> dict[str, Any]:
    """The answer is this problem document and its detail says each of the words."""
    body: dict[str, Any] = json.loads(answer.content)
    assert (answer.status_code, body["code"]) == (status, code), body
    assert answer["Content-Type"] == "application/problem+json"
    assert body["status"] == status
    assert body["type"] == f"urn:workforce:problem:{code}"
    assert body["title"]
    for word in words:
        assert word in body["detail"], body["detail"]
    return body
