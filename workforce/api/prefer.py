"""The ``Prefer`` header (RFC 7240), as far as the API honours it."""

from __future__ import annotations

from dataclasses import dataclass

MAX_WAIT = 60


@dataclass(frozen=True, slots=True)
class Preferences:
    """What the caller would like: the output in the answer, and how long to wait for it, in seconds."""

    representation: bool = False
    wait: int = 0

    def applied(self) -> str:
        """The value of ``Preference-Applied``; empty when nothing was asked for."""
        parts = ["return=representation"] if self.representation else []
        return ", ".join(parts + ([f"wait={self.wait}"] if self.wait else []))


def read_preferences(header: str) -> Preferences:
    """The preferences of a header. What is not understood is passed over, as the RFC wants it."""
    representation, wait = False, 0
    for part in header.split(","):
        name, _, value = part.partition(";")[0].partition("=")
        name, value = name.strip().lower(), value.strip().strip('"').lower()
        if name == "return" and value == "representation":
            representation = True
        if name == "wait" and value.isascii() and value.isdigit() and len(value) < 10:
            wait = min(int(value), MAX_WAIT)
    return Preferences(representation=representation, wait=wait)
