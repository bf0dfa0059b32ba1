"""Minting of ids."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
import uuid


def new_uuid() -> uuid.UUID:
    """A version 7 UUID: random, and in order of time, so that an index grows at one end."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return uuid.UUID(int=value)


def new_session_id() -> str:
    """An address for a session that nobody named."""
    return f"ses_{secrets.token_hex(12)}"


def derived_session_id(*parts: object) -> str:
    """The address of a child conversation: the same parts give the same address."""
    digest = hashlib.sha256("\x00".join(str(part) for part in parts).encode()).hexdigest()
    return f"dsx_{digest[:32]}"
