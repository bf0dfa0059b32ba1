"""Opaque keyset cursors: where a page ended, sealed so that a damaged or foreign one is told at once."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import Any

from django.conf import settings

from workforce.errors import InvalidCursor

_SEAL = 9  # bytes; enough against damage and guessing, short in a URL


def encode_cursor(scope: str, position: list[Any]) -> str:
    """A cursor of ``A-Z a-z 0-9 - _`` for a position in the list that ``scope`` names."""
    payload = json.dumps(position, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_seal(scope, payload) + payload).decode().rstrip("=")


def decode_cursor(scope: str, cursor: str) -> list[Any]:
    """The position. Raises InvalidCursor for anything that ``encode_cursor`` did not make for this list."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidCursor from None
    seal, payload = raw[:_SEAL], raw[_SEAL:]
    if not hmac.compare_digest(seal, _seal(scope, payload)):
        raise InvalidCursor
    # Two spellings of the last letter can hold the same bytes: only the one that was handed out counts.
    if base64.urlsafe_b64encode(raw).decode().rstrip("=") != cursor:
        raise InvalidCursor
    position: list[Any] = json.loads(payload)
    return position


def _seal(scope: str, payload: bytes) -> bytes:
    message = scope.encode() + b"\x00" + payload
    return hmac.digest(settings.SECRET_KEY.encode(), message, hashlib.sha256)[:_SEAL]
