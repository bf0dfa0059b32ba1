"""``GET /api/messages``: the user's own worker messages. See docs/worker-messages.md."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response
from typing_extensions import TypedDict

from messaging.api.filters import MessageFilters
from messaging.inbox.api.instants import read_instant
from messaging.models import WorkerMessage
from messaging.shapes import message_shape
from workforce.api.paging import filter_strictly, page
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.views import ApiView
from workforce.kinds.lines import Moment
from workforce.models import Grant

MessageId = Annotated[str, Field(pattern=r"^msg_[0-9a-f]{20}$")]

MessageEntry = TypedDict(
    "MessageEntry",
    {
        "id": MessageId,
        "from": Annotated[str, Field(description="The worker that sent it.")],
        "to": str,
        "text": str,
        "exchange": Annotated[MessageId, Field(description="The first message; an answer inherits it.")],
        "replyTo": NotRequired[MessageId],
        "fromSession": NotRequired[str],
        "toSession": NotRequired[str],
        "chain": Annotated[str, Field(json_schema_extra={"format": "uuid"})],
        "hop": Annotated[int, Field(ge=0, description="Its number in the chain; 0 when it was refused.")],
        "automatic": NotRequired[Annotated[Literal[True], Field(description="A turn's final text.")]],
        "status": Literal["delivered", "refused", "unconfirmed"],
        "reason": NotRequired[str],
        "at": Moment,
    },
)


class MessagePage(TypedDict):
    """A page of the log, newest first."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    items: list[MessageEntry]
    nextCursor: NotRequired[str]


class MessagesView(ApiView):
    """The caller's own log: what its workers said to each other."""

    grants = {"GET": Grant.FLOWS_READ}
    query = {"GET": frozenset({"worker", "exchange", "status", "since", "q", "cursor", "limit"})}
    describes = {
        "GET": Operation(
            id="listMessages",
            summary="Worker messages of the caller, newest first.",
            answers={200: Answer("A page of messages.", MessagePage)},
            query={"status": {"type": "string", "enum": list(WorkerMessage.Status.values)}},
        )
    }

    def get(self, request: HttpCall) -> Response:
        rows = WorkerMessage.objects.filter(organization=self.caller.organization, owner=self.caller.user)
        rows = filter_strictly(MessageFilters, request.query_params, rows)
        since = request.query_params.get("since")
        if since is not None:
            rows = rows.filter(at__gte=read_instant("since", since))
        return Response(
            page(
                rows.select_related("from_session", "to_session"),
                scope=f"messages:{self.caller.organization.pk}:{self.caller.user.pk}",
                by="id",
                limit=self.limit(default=50, maximum=200),
                cursor=request.query_params.get("cursor"),
                shape=message_shape,
            )
        )
