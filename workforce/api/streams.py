"""What a session's stream shows at one moment; the server in front turns it into server-sent events."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.schemas.operations import Answer, Operation
from workforce.api.shapes import item_shape
from workforce.api.views import ApiView
from workforce.errors import DomainError, InvalidInput, SessionNotFound
from workforce.models import Grant, Session
from workforce.selectors.access import access_session
from workforce.selectors.children import child_shape, working_children
from workforce.selectors.feeds import read_session_feed
from workforce.waits import FEED, RESUME_META, WAIT_FOR, register_feed, watch_header

LARGEST = 2**53
#: Items that one look brings.
AT_ONCE = 200
#: The name of the feed.
ITEMS = "items"


class NoStreams(DomainError):
    """This server cannot stream; use the ASGI server ('manage.py serve'), or read the items."""

    code = "no-streams"
    status = 501


class SessionStreamView(ApiView):
    """Follow a session: its items after a number, and its unfinished children."""

    grants = {"GET": Grant.FLOWS_READ}
    query = {"GET": frozenset({"after"})}
    describes = {
        "GET": Operation(
            id="followSession",
            summary="Follow a session as server-sent events: `runs`, `item`, `ping`.",
            answers={
                200: Answer(
                    "`runs` (`{items}`: the children that work now) first and at every change, each `item` once "
                    "and in order with its number as `id`, a `ping` every 15 seconds; ends after 15 minutes.",
                    str,
                    headers=("Cache-Control",),
                    media="text/event-stream",
                )
            },
            refuses=frozenset({501}),
            headers=("Last-Event-ID",),
        )
    }

    def get(self, request: HttpCall, session: str) -> Response:
        resumed = request.META.get(RESUME_META)
        if resumed is None:
            raise NoStreams
        found = access_session(caller=self.caller, address=session)
        state = session_feed(found.pk, int(resumed) if resumed else self._start())
        if state is None:
            raise SessionNotFound(f"there is no session '{session}'")
        topics = state.pop("topics")
        return Response(
            state, headers={WAIT_FOR: watch_header(topics, self.caller), FEED: f"{ITEMS}:{found.pk}"}
        )

    def _start(self) -> int:
        last = self.request.META.get("HTTP_LAST_EVENT_ID")
        if last:
            if not (last.isascii() and last.isdigit() and len(last) < 16):
                raise InvalidInput.at("Last-Event-ID", "must be the number of an item")
            return int(last)
        return self.whole("after", minimum=0, maximum=LARGEST) or 0


def session_feed(session_id: int, after: int) -> dict[str, Any] | None:
    """What the session shows after the number, as the API shows it."""
    return read_session_feed(session_id, after, at_once=AT_ONCE, shape=item_shape, runs=_runs)


def _runs(session: Session) -> list[dict[str, Any]]:
    """The children that work now, newest first."""
    return [child_shape(child) for child in working_children(session)[:100]]


# Here, not in AppConfig.ready(): commands need not load what only pages and streams use.
register_feed(ITEMS, session_feed)
