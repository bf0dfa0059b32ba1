"""Sessions over HTTP."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.bodies import NewSession, SessionChanges
from workforce.api.filters import ItemFilters, RequestFilters, SessionFilters
from workforce.api.paging import filter_strictly, page
from workforce.api.schemas.answers import SessionAnswer
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.schemas.pages import ChildPage, RequestPage, SessionPage
from workforce.api.schemas.pages import ItemPage as ItemPageAnswer
from workforce.api.schemas.parts import limit
from workforce.api.shapes import item_shape, request_shape, session_shape
from workforce.api.views import ApiView
from workforce.errors import InvalidInput
from workforce.kinds import NoInput
from workforce.models import Grant, Session
from workforce.selectors.access import access_session, own_sessions
from workforce.selectors.children import child_shape, children_of
from workforce.selectors.items import ItemPage, page_of_items
from workforce.services.sessions import create_session, delete_session, update_session

PAGE = frozenset({"limit", "cursor"})


class SessionsView(ApiView):
    """The caller's sessions, newest updated first; or make one."""

    grants = {"GET": Grant.FLOWS_READ, "POST": Grant.FLOWS_WRITE}
    query = {"GET": PAGE | {"flowKind", "include", "q"}}
    describes = {
        "GET": Operation(
            id="listSessions",
            summary="List the caller's sessions, newest updated first.",
            answers={200: Answer("A page of sessions.", SessionPage)},
        ),
        "POST": Operation(
            id="createSession",
            summary="Make an empty session of a kind.",
            answers={201: Answer("The session.", SessionAnswer, headers=("Location",))},
            body=NewSession,
            refuses=frozenset({404, 409}),
        ),
    }

    def get(self, request: HttpCall) -> Response:
        rows = own_sessions(self.caller).select_related("owner", "seat", "parent")
        if not self._includes_runs():
            rows = rows.filter(parent=None)
        rows = filter_strictly(SessionFilters, request.query_params, rows)
        return Response(
            page(
                rows,
                scope=f"sessions:{self.caller.organization.pk}:{self.caller.user.pk}",
                by="updated_at",
                limit=self.limit(default=50, maximum=200),
                cursor=request.query_params.get("cursor"),
                shape=session_shape,
                encode=datetime.isoformat,
                decode=datetime.fromisoformat,
            )
        )

    def _includes_runs(self) -> bool:
        include = self.request.query_params.get("include")
        parts = [] if include is None else include.split(",")
        unknown = [part for part in parts if part != "dispatch-runs"]
        if unknown:
            raise InvalidInput.at("include", f"takes 'dispatch-runs' only, not '{unknown[0][:100]}'")
        return bool(parts)

    def post(self, request: HttpCall) -> Response:
        new = self.body(NewSession)

        def make() -> tuple[int, dict[str, Any]]:
            session = create_session(
                caller=self.caller,
                kind_name=new.flow_kind,
                address=new.session_id,
                title=new.title,
                description=new.description,
                tags=list(new.tags),
                metadata=new.metadata,
            )
            return 201, session_shape(session)

        response = self.once(make)
        if response.status_code == 201:
            response["Location"] = f"/api/sessions/{response.data['id']}"
        return response


class SessionView(ApiView):
    """One session."""

    grants = {"GET": Grant.FLOWS_READ, "PATCH": Grant.FLOWS_WRITE, "DELETE": Grant.FLOWS_WRITE}
    describes = {
        "GET": Operation(
            id="getSession",
            summary="One session.",
            answers={200: Answer("The session.", SessionAnswer)},
        ),
        "PATCH": Operation(
            id="changeSession",
            summary="Change title, description, tags or metadata (merged shallowly).",
            answers={200: Answer("The session as it is now.", SessionAnswer)},
            body=SessionChanges,
        ),
        "DELETE": Operation(
            id="deleteSession",
            summary="Remove a session with everything in it; an open mailbox stays.",
            answers={204: Answer("It is gone.")},
            body=NoInput,
            refuses=frozenset({409}),
        ),
    }

    def get(self, request: HttpCall, session: str) -> Response:
        return Response(session_shape(access_session(caller=self.caller, address=session)))

    def patch(self, request: HttpCall, session: str) -> Response:
        self._check_unguarded()
        changes = self.body(SessionChanges).model_dump(exclude_unset=True)
        update_session(caller=self.caller, address=session, changes=changes)
        return self.get(request, session)

    def delete(self, request: HttpCall, session: str) -> Response:
        self._check_unguarded()
        self.body(NoInput)
        delete_session(caller=self.caller, address=session)
        return Response(status=204)

    def _check_unguarded(self) -> None:
        """Raise InvalidInput for an ``If-Match``: a session has no ETag, and a guard must not be passed over."""
        if "HTTP_IF_MATCH" in self.request.META:
            raise InvalidInput.at("If-Match", "guards nothing here, a session has no ETag; leave it out")


def _is_named(etag: str, header: str) -> bool:
    """Whether ``If-None-Match`` names the tag: by itself, in a list, or with a star, which is any."""
    named = [part.strip().removeprefix("W/") for part in header.split(",")]
    return etag in named or named == ["*"]


class SessionItemsView(ApiView):
    """What a session shows, in order."""

    grants = {"GET": Grant.FLOWS_READ}
    query = {"GET": PAGE | {"types", "component", "after", "before"}}
    describes = {
        "GET": Operation(
            id="listItems",
            summary="What a session shows, in order.",
            answers={
                200: Answer("A page of items.", ItemPageAnswer, headers=("ETag",)),
                304: Answer("Nothing new since the `ETag` of `If-None-Match`.", headers=("ETag",)),
            },
            headers=("If-None-Match",),
        )
    }
    largest = 2**53

    def get(self, request: HttpCall, session: str) -> Response:
        found = access_session(caller=self.caller, address=session)
        items = filter_strictly(ItemFilters, request.query_params, found.items.all())
        asked = ItemPage(
            after=self.whole("after", minimum=0, maximum=self.largest),
            before=self.whole("before", minimum=0, maximum=self.largest),
            cursor=request.query_params.get("cursor"),
            limit=self.limit(default=50, maximum=200),
        )
        etag = self._etag(found)
        if _is_named(etag, request.META.get("HTTP_IF_NONE_MATCH", "")):
            return Response(status=304, headers={"ETag": etag})
        answer = page_of_items(items, session=found, page=asked, shape=item_shape)
        return Response(answer, headers={"ETag": etag})

    def _etag(self, session: Session) -> str:
        """Items are only ever appended, so the last number and the question tell the answer."""
        query = self.request._request.META.get("QUERY_STRING", "")
        return f'"{session.pk}-{session.item_seq}-{hashlib.sha256(query.encode()).hexdigest()[:12]}"'


class SessionRequestsView(ApiView):
    """The requests of a session, newest first."""

    grants = {"GET": Grant.FLOWS_READ}
    query = {"GET": PAGE | {"status"}}
    describes = {
        "GET": Operation(
            id="listRequests",
            summary="The requests of a session, newest first.",
            answers={200: Answer("A page of requests.", RequestPage)},
        )
    }

    def get(self, request: HttpCall, session: str) -> Response:
        found = access_session(caller=self.caller, address=session)
        rows = filter_strictly(RequestFilters, request.query_params, found.requests.select_related("session"))
        return Response(
            page(
                rows,
                scope=f"requests:{found.pk}",
                by="id",
                limit=self.limit(default=50, maximum=200),
                cursor=request.query_params.get("cursor"),
                shape=request_shape,
            )
        )


class SessionChildrenView(ApiView):
    """The conversations below a session, newest first, with how each stands."""

    grants = {"GET": Grant.FLOWS_READ}
    query = {"GET": PAGE}
    describes = {
        "GET": Operation(
            id="listChildren",
            summary="The conversations below a session, newest first, with how each stands.",
            answers={200: Answer("A page of children.", ChildPage)},
            query={"limit": limit(default=25, maximum=100)},
        )
    }

    def get(self, request: HttpCall, session: str) -> Response:
        found = access_session(caller=self.caller, address=session)
        return Response(
            page(
                children_of(found),
                scope=f"children:{found.pk}",
                by="id",
                limit=self.limit(default=25, maximum=100),
                cursor=request.query_params.get("cursor"),
                shape=child_shape,
            )
        )
