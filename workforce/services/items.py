"""Writing what a session shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workforce import clock
from workforce.models import LINE, Item, Request, Session
from workforce.sql.writing import insertions, updating, write_together


def append_item(
    *,
    session: Session,
    request: Request,
    type: Item.Type,
    component: str = "",
    data: Any = None,
) -> Item:
    """Append one item to the session, whose row the caller holds locked.

    The counters are written from the locked row, so the order is the database's and has no gap.
    """
    moment = clock.now()
    session.item_seq += 1
    session.updated_at = max(session.updated_at, moment)
    Session.objects.filter(pk=session.pk).update(item_seq=session.item_seq, updated_at=session.updated_at)
    return Item.objects.create(
        session=session,
        seq=session.item_seq,
        request_id=request.uid,  # its row may be written only when the run ends, in the same transaction
        type=type,
        component=component,
        data=data,
        at=moment,
    )


def append_items(
    *, session: Session, request: Request, type: Item.Type, component: str, data: Sequence[Any]
) -> None:
    """Append one item for each of ``data``, in order, to the session, whose row the caller holds locked."""
    moment = clock.now()
    first = session.item_seq + 1
    session.item_seq += len(data)
    session.updated_at = max(session.updated_at, moment)
    Session.objects.filter(pk=session.pk).update(item_seq=session.item_seq, updated_at=session.updated_at)
    Item.objects.bulk_create(
        Item(
            session=session,
            seq=first + number,
            request_id=request.uid,
            type=type,
            component=component,
            data=shown,
            at=moment,
        )
        for number, shown in enumerate(data)
    )


def keep_line(
    *,
    session: Session,
    request: Request,
    body: str,
    principal: str,
    author: str | None = None,
    seat_authored: bool = False,
) -> Item:
    """Append one transcript line to the session, whose row the caller holds locked.

    Custom mailbox kinds keep their lines with this too, so that they show like the built-in's.
    """
    moment = clock.now()
    session.item_seq += 1
    session.line_seq += 1
    session.updated_at = max(session.updated_at, moment)
    request.counted = Request.Counted.LINE
    line = Item(
        session=session,
        seq=session.item_seq,
        line_seq=session.line_seq,
        request_id=request.uid,  # its row is written when the run ends, in the same transaction
        type=Item.Type.COMPONENT,
        component=LINE,
        at=moment,
        principal=principal,
        passname=request.passname,
        author=author or "",
        seat_authored=seat_authored,
        body=body,
    )
    counted = updating(session, ["item_seq", "line_seq", "updated_at"])
    write_together([counted, *insertions([line])])
    return line
