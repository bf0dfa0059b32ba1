"""The roster and the inventory over HTTP."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, QuerySet, When
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.filters import SeatFilters
from workforce.api.paging import filter_strictly, page
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.schemas.pages import (
    InventoryMailboxPage,
    InventoryMemberPage,
    InventorySeatPage,
    WorkerPage,
)
from workforce.api.shapes import ms, seat_shape
from workforce.api.views import ApiView
from workforce.models import Grant, InventoryMailbox, InventoryMembership, InventorySeat
from workforce.selectors.workers import reachable_workers

PAGE = frozenset({"limit", "cursor"})


class WorkersView(ApiView):
    """The workers that the caller can reach: its own, then the organization's."""

    grants = {"GET": Grant.FLOWS_READ}
    query = {"GET": PAGE | {"flowKind", "q"}}
    describes = {
        "GET": Operation(
            id="listWorkers",
            summary="The workers that the caller can reach.",
            answers={200: Answer("A page of workers.", WorkerPage)},
        )
    }

    def get(self, request: HttpCall) -> Response:
        rows = reachable_workers(organization=self.caller.organization, user=self.caller.user)
        rows = rows.annotate(own=Case(When(owner=None, then=0), default=1))
        rows = filter_strictly(SeatFilters, request.query_params, rows)
        return Response(
            page(
                rows,
                scope=f"workers:{self.caller.organization.pk}:{self.caller.user.pk}",
                by="own",
                limit=self.limit(default=50, maximum=200),
                cursor=request.query_params.get("cursor"),
                shape=seat_shape,
            )
        )


class InventoryView(ApiView):
    """What was registered in the caller's organization: seats, mailboxes or memberships."""

    grants = {"GET": Grant.FLOWS_READ}
    model: Any = None
    filters: frozenset[str] = frozenset()

    def get(self, request: HttpCall) -> Response:
        rows: QuerySet[Any] = self.model.objects.filter(organization=self.caller.organization)
        for name in self.filters & set(request.query_params):
            rows = rows.filter(**{f"{name}_id": request.query_params[name]})
        return Response(
            page(
                rows,
                scope=f"inventory:{self.model.__name__}:{self.caller.organization.pk}",
                by="id",
                limit=self.limit(default=50, maximum=200),
                cursor=request.query_params.get("cursor"),
                shape=self.shape,
            )
        )

    def shape(self, row: Any) -> dict[str, Any]:
        raise NotImplementedError


class InventorySeatsView(InventoryView):
    """The seats that were hired here."""

    model = InventorySeat
    filters = frozenset({"seat"})
    query = {"GET": PAGE | filters}
    describes = {
        "GET": Operation(
            id="listInventorySeats",
            summary="The seats that were hired here.",
            answers={200: Answer("A page of rows.", InventorySeatPage)},
        )
    }

    def shape(self, row: InventorySeat) -> dict[str, Any]:
        return {"id": row.seat_id, "kind": row.kind, "hired": ms(row.hired_at)}


class InventoryMailboxesView(InventoryView):
    """The mailboxes that were opened here."""

    model = InventoryMailbox
    filters = frozenset({"mailbox"})
    query = {"GET": PAGE | filters}
    describes = {
        "GET": Operation(
            id="listInventoryMailboxes",
            summary="The mailboxes that were opened here.",
            answers={200: Answer("A page of rows.", InventoryMailboxPage)},
        )
    }

    def shape(self, row: InventoryMailbox) -> dict[str, Any]:
        return {"id": row.mailbox_id, "kind": row.kind, "members": row.members, "openedAt": ms(row.opened_at)}


class InventoryMembersView(InventoryView):
    """Which seat is in which mailbox."""

    model = InventoryMembership
    filters = frozenset({"seat", "mailbox"})
    query = {"GET": PAGE | filters}
    describes = {
        "GET": Operation(
            id="listInventoryMembers",
            summary="Which seat is in which mailbox.",
            answers={200: Answer("A page of rows.", InventoryMemberPage)},
        )
    }

    def shape(self, row: InventoryMembership) -> dict[str, Any]:
        return {"seat": row.seat_id, "mailbox": row.mailbox_id}
