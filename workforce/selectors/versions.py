"""What a waiting call watches: a version per topic, read for all waiting calls of a process at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db.models import Count, Max

from workforce.models import Key, Request, Session

#: Reads the versions of many keys of one sort; a key that is gone is absent.
Reader = Callable[[list[str]], dict[str, str]]


def session_version(item_seq: int, unfinished: int, newest: int) -> str:
    """Changes with every item and whenever a child's run starts or ends."""
    return f"{item_seq}.{unfinished}.{newest}"


def _sessions(keys: list[str]) -> dict[str, str]:
    pks = [int(key) for key in keys]
    runs = {
        row["session__parent_id"]: (row["unfinished"], row["newest"])
        for row in Request.objects.filter(Request.IS_UNFINISHED, session__parent_id__in=pks)
        .values("session__parent_id")
        .annotate(unfinished=Count("pk"), newest=Max("pk"))
    }
    rows = Session.objects.filter(pk__in=pks).values_list("pk", "item_seq")
    return {str(pk): session_version(seq, *runs.get(pk, (0, 0))) for pk, seq in rows}


def _requests(keys: list[str]) -> dict[str, str]:
    return {
        str(uid): status for uid, status in Request.objects.filter(uid__in=keys).values_list("uid", "status")
    }


def _keys(keys: list[str]) -> dict[str, str]:
    rows = Key.objects.filter(pk__in=keys).values_list(
        "pk", "revoked_at", "actor__frozen_at", "actor__retired_at", "actor__user__is_active"
    )
    return {
        str(pk): "ok" if active and not (revoked or frozen or retired) else "no"
        for pk, revoked, frozen, retired, active in rows
    }


READERS: dict[str, Reader] = {"session": _sessions, "request": _requests, "key": _keys}
#: The sorts whose version says for how many of those who wait there is something: "0" for none.
COUNTED: set[str] = set()


def register_topic(name: str, reader: Reader, *, counted: bool = False) -> None:
    """Let another app's calls wait for something of its own.

    The version of a ``counted`` topic is the number of callers it has something for, and no more of them are
    woken at a time: what one of them takes, the others need not look for.
    """
    READERS[name] = reader
    if counted:
        COUNTED.add(name)


def is_counted(topic: str) -> bool:
    """Whether the topic's version is a number of callers."""
    return topic.partition(":")[0] in COUNTED


def versions_of(topics: Iterable[str]) -> dict[str, str]:
    """The present version of each topic (``session:5``), in one query or two per sort; "" when it is gone."""
    sorts: dict[str, list[str]] = {}
    for topic in topics:
        sort, _, key = topic.partition(":")
        sorts.setdefault(sort, []).append(key)
    found: dict[str, str] = {}
    for sort, keys in sorts.items():
        versions = READERS[sort](keys)
        found |= {f"{sort}:{key}": versions.get(key, "") for key in keys}
    return found
