"""The only place that reads the clock; times are epoch milliseconds on the wire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def to_ms(moment: datetime) -> int:
    """Epoch milliseconds, rounded down; exact, unlike a float timestamp."""
    return (moment - EPOCH) // _MILLISECOND


def from_ms(milliseconds: int) -> datetime:
    """The moment of an epoch millisecond."""
    return EPOCH + milliseconds * _MILLISECOND
