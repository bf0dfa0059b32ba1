"""The parts that paths are made of."""

from __future__ import annotations

from django.urls import register_converter


class SessionIdConverter:
    """A session's id: 1 to 200 of ``A-Z a-z 0-9 . _ ~ -``."""

    regex = r"[A-Za-z0-9._~-]{1,200}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(SessionIdConverter, "session")
