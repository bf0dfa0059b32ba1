"""A hand-off: what one run owes to a session. See docs/dispatch.md."""

from __future__ import annotations

from typing import Any

from workforce.ids import new_uuid
from workforce.models import Request


def hand_off(
    *, of: Request, session_id: int, action: str, input: dict[str, Any], key: str, **more: Any
) -> Request:
    """The serial request by which a run hands something to a session, unsaved: put it into ``call.owed``.

    ``key`` is its dispatch key: one hand-off is one row, however often the run that owes it is repeated. It goes on
    with the chain of the run. ``more`` are further columns, and those that differ.
    """
    return Request(
        **{
            "uid": new_uuid(),
            "session_id": session_id,
            "action": action,
            "source": Request.Source.DISPATCH,
            "input": input,
            "serial": True,
            "parent_uid": of.uid,
            "chain_uid": of.chain_uid,
            "dispatch_key": key,
            **more,
        }
    )
