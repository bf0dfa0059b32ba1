"""When a digest is due: at whole hours, days and weeks of UTC. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

_LENGTHS = {"hourly": timedelta(hours=1), "daily": timedelta(days=1), "weekly": timedelta(weeks=1)}


def begin_of(moment: datetime, cadence: str) -> datetime:
    """The newest boundary that is not after the moment; weeks begin on Monday."""
    hour = moment.replace(minute=0, second=0, microsecond=0)
    if cadence == "hourly":
        return hour
    day = hour.replace(hour=0)
    return day if cadence == "daily" else day - timedelta(days=day.weekday())


def end_of(moment: datetime, cadence: str) -> datetime:
    """The next boundary after the moment."""
    return begin_of(moment, cadence) + _LENGTHS[cadence]


def pause_after(attempts: int) -> timedelta:
    """How long to wait after so many tries that failed: a minute at first, six hours at most."""
    minutes = (1, 5, 15, 60, 180, 360)
    return timedelta(minutes=minutes[min(attempts, len(minutes)) - 1])
