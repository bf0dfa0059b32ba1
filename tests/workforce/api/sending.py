"""Sending raw bytes as one of the cast, at a mailbox that could be written to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.conftest import Mailbox, Player
from workforce.models import Session

Unchanged = Callable[..., AbstractContextManager[None]]
POST = "/api/flows/mailbox/support.help/actions/post"
JSON = "application/json"


@pytest.fixture
def opened(owner: Player, mailbox: Mailbox) -> Session:
    """A mailbox that could be written to."""
    owner.api.get("/api/flows")  # the key's last use is written now
    return mailbox("support.help")


def send(
    player: Player,
    body: bytes,
    *,
    path: str = POST,
    method: str = "POST",
    content_type: str = JSON,
    **headers: str,
) -> HttpResponse:
    """Raw bytes as the body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client(raise_request_exception=False).generic(
        method, path, data=body, content_type=content_type, headers={**player.api.headers, **named}
    )


def posting(text: str) -> bytes:
    """The body of a post, with a piece of JSON as the line's text."""
    return b'{"input":{"body":%s}}' % text.encode()
