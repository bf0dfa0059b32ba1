"""Moments in queries: ISO 8601 with a zone, or epoch milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime

from workforce import clock
from workforce.errors import InvalidInput

_LATEST = 253_370_764_800_000  # the year 9999, in which some zones have none left


def read_instant(name: str, text: str) -> datetime:
    """The moment. Raises InvalidInput, naming the parameter."""
    if text.isascii() and text.isdigit() and len(text) < 16 and int(text) < _LATEST:
        return clock.from_ms(int(text))
    try:
        # a plus that was not escaped is a blank in a query
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
        if moment.tzinfo is not None and moment.year < 9999:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput.at(
        name, "must be a moment: ISO 8601 with a zone, as 2026-03-01T09:00:00Z, or epoch milliseconds"
    )
