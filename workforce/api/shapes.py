"""Rows as they leave the server: fixed keys in a fixed order."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from workforce import clock
from workforce.kinds import registered_kinds
from workforce.models import LINE, Item, Request, Seat, Session
from workforce.selectors.lines import line_of


def ms(moment: datetime | None) -> int | None:
    """Epoch milliseconds, or None."""
    return None if moment is None else clock.to_ms(moment)


def session_shape(session: Session) -> dict[str, Any]:
    """A session; of its state only what the kind shows."""
    kind = registered_kinds().get(session.kind)
    return {
        "id": session.address,
        "flowKind": session.kind,
        "userId": session.owner.username,
        "parentId": session.parent.address if session.parent else None,
        "seatId": session.seat.seat_id if session.seat else None,
        "title": session.title,
        "description": session.description,
        "tags": session.tags,
        "metadata": session.metadata,
        "state": kind.visible_state(session) if kind else {},
        "lastSeq": session.item_seq,
        "createdAt": ms(session.created_at),
        "updatedAt": ms(session.updated_at),
    }


def request_shape(request: Request, *, whole: bool = False) -> dict[str, Any]:
    """A request; ``whole`` adds its input and output."""
    shape: dict[str, Any] = {
        "id": str(request.uid),
        "action": request.action,
        "status": request.status,
        "source": request.source,
        "flowKind": request.session.kind,
        "sessionId": request.session.address,
    }
    if request.passname:
        shape["passname"] = request.passname
    if whole:
        shape["input"] = request.input
        shape["output"] = request.output
        shape["metadata"] = request.metadata
    if request.error is not None:
        shape["error"] = {key: value for key, value in request.error.items() if key != "status"}
    shape |= {
        "attempts": request.attempts,
        "createdAt": ms(request.created_at),
        "startedAt": ms(request.started_at),
        "endedAt": ms(request.ended_at),
        "parentId": request.parent_uid and str(request.parent_uid),
        "chainId": request.chain_uid and str(request.chain_uid),
        "retryOf": request.retry_of_uid and str(request.retry_of_uid),
        "tokens": {"input": request.input_tokens, "output": request.output_tokens},
    }
    return shape


def item_shape(item: Item) -> dict[str, Any]:
    """An item; a transcript line has the line as its data."""
    shape: dict[str, Any] = {"id": str(item.id), "seq": item.seq, "type": item.type}
    if item.component:
        shape["component"] = item.component
    shape["requestId"] = str(item.request_id)
    shape["at"] = clock.to_ms(item.at)
    shape["data"] = line_of(item) if item.component == LINE else item.data
    return shape


def seat_shape(seat: Seat) -> dict[str, Any]:
    """A worker of the roster."""
    return {
        "id": seat.seat_id,
        "flowKind": seat.kind,
        "owner": "organization" if seat.owner_id is None else "user",
        "description": seat.description,
        "hiredAt": ms(seat.hired_at),
    }
