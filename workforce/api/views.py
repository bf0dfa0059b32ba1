"""The base of every REST view: who calls, with which grant, with which parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.db import transaction
from pydantic import BaseModel
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from workforce.api.callers import check_named_user, credential_caller, open_caller
from workforce.api.problems import body_of, problem_response
from workforce.api.rendering import JsonOnly
from workforce.api.schemas.operations import Operation
from workforce.callers import Caller
from workforce.errors import DomainError, InvalidInput, UnknownParameter
from workforce.inputs import validate_input
from workforce.models import Grant
from workforce.nearest import unknown_words
from workforce.services import idempotency
from workforce.waits import RESUME_META

Model = TypeVar("Model", bound=BaseModel)
SAFE = ("GET", "HEAD", "OPTIONS")
#: Keys of a body that are nobody's input.
ENVELOPE = frozenset({"userId", "orgId"})


class KnownCaller(BasePermission):
    """A caller that is known and has the grant of the method; views say which in ``grants``."""

    def has_permission(self, request: HttpCall, view: Any) -> bool:
        grant = view.grants.get("GET" if request.method in SAFE else request.method)
        if grant is not None:
            view.caller.check_granted(grant)
        return view.caller is not None


class WriteRate(SimpleRateThrottle):
    """At most so many writes a minute per actor, or per user without a key."""

    scope = "writes"

    def get_rate(self) -> str | None:
        return settings.WRITE_RATE or None

    def get_cache_key(self, request: HttpCall, view: Any) -> str | None:
        caller: Caller = view.caller
        return f"write-rate:{caller.actor_id or f'user-{caller.user.pk}'}"


class ApiView(APIView):
    """A view of the API.

    ``grants`` names, per method, what a key needs; ``query`` the parameters it takes; ``describes`` what the
    OpenAPI document says of it.
    """

    authentication_classes = []
    permission_classes = [KnownCaller]
    content_negotiation_class = JsonOnly
    grants: ClassVar[dict[str, Grant]] = {}
    query: ClassVar[dict[str, frozenset[str]]] = {}
    describes: ClassVar[dict[str, Operation]] = {}
    # What a view does not answer is 405, also OPTIONS: the document says what there is.
    http_method_names = ["get", "post", "put", "patch", "delete", "head"]
    metadata_class = None

    def initial(self, request: HttpCall, *args: Any, **kwargs: Any) -> None:
        if request.method not in self.allowed_methods:  # before anybody reads a body that will not be used
            raise MethodNotAllowed(str(request.method))
        super().initial(request, *args, **kwargs)
        self._check_query()

    def perform_authentication(self, request: HttpCall) -> None:
        """Nothing: ``caller`` says who calls. The framework's own would forget the browser session's user."""

    def get_throttles(self) -> list[Any]:
        """Writes are limited. A call that waited and is run again was counted when it came."""
        counts = self.request.method not in SAFE and RESUME_META not in self.request.META
        return [WriteRate()] if settings.WRITE_RATE and counts else []

    @cached_property
    def caller(self) -> Caller:
        """Who calls; resolved once, and with a credential before the body is read."""
        caller = credential_caller(self.request)
        both = (self.body_and_user[1], self.request.query_params.get("userId"))
        named = [name for name in both if name is not None]
        if caller is None:
            if len(set(named)) > 1:
                raise InvalidInput.at("userId", "the body and the query name different users; name one")
            return open_caller(self.request, named[0] if named else None)
        for name in named:
            check_named_user(caller, name)
        return caller

    @cached_property
    def body_and_user(self) -> tuple[dict[str, Any], str | None]:
        """The body without its ``userId``, and that. An empty body is an empty object.

        An ``orgId`` is dropped too: it is never used, who calls decides.
        """
        body = self.request.data if self.request.method not in SAFE else {}
        if not isinstance(body, dict):
            raise InvalidInput(
                "the body must be a JSON object", errors=[{"path": "", "message": "must be an object"}]
            )
        user = body.get("userId")
        if user is not None and not isinstance(user, str):
            raise InvalidInput.at("userId", "must be a string")
        return {key: value for key, value in body.items() if key not in ENVELOPE}, user

    def body(self, model: type[Model]) -> Model:
        """The body as a closed model. Raises InvalidInput with every bad field."""
        return validate_input(model, self.body_and_user[0])

    def _check_query(self) -> None:
        method = "GET" if self.request.method in SAFE else self.request.method
        known = self.query.get(str(method), frozenset()) | {"userId"}
        unknown = [name for name in self.request.query_params if name not in known]
        if unknown:
            raise UnknownParameter(unknown_words("query parameter", unknown, known))
        for name, values in self.request.query_params.lists():
            if len(values) > 1:
                raise InvalidInput.at(name, "stands more than once in the query; send it once")

    def limit(self, *, default: int, maximum: int) -> int:
        """The query's ``limit``. Raises InvalidInput when it is no whole number from 1 to ``maximum``."""
        value = self.whole("limit", minimum=1, maximum=maximum)
        return default if value is None else value

    def whole(self, name: str, *, minimum: int, maximum: int) -> int | None:
        """A whole number of the query, or None when it is not there."""
        text = self.request.query_params.get(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 20 and minimum <= int(text) <= maximum):
            raise InvalidInput.at(name, f"must be a whole number from {minimum} to {maximum}")
        return int(text)

    def repeat(self, value: Any) -> idempotency.Repeat | None:
        """The ``Idempotency-Key`` of the call, if it has one, with the digest of its input."""
        key = self.request.META.get("HTTP_IDEMPOTENCY_KEY")
        if key is None:
            return None
        if not (1 <= len(key) <= 255 and key.isprintable()):
            raise InvalidInput.at("Idempotency-Key", "must be 1 to 255 printable characters")
        return idempotency.Repeat(
            key=key, path=self.request._request.path_info[:500], digest=idempotency.digest_of(value)
        )

    def once(
        self,
        work: Callable[[], tuple[int, dict[str, Any] | None]],
        *,
        passing: frozenset[int] = frozenset(),
    ) -> Response:
        """Answer with the work's status and body; with an ``Idempotency-Key`` do the work only once.

        A refusal is the first answer too, and is repeated. An answer with a ``passing`` status says that
        there was nothing to do: it is not kept, and the same call again does the work.
        """
        repeat = self.repeat(self.body_and_user[0])
        if repeat is None:
            status, body = work()
            return Response(body, status=status)
        with transaction.atomic():
            record, first = idempotency.begin(caller=self.caller, repeat=repeat)
            status, body = answer = _answer_of(work) if first else record.answer
            if first and status in passing:
                record.delete()
            elif first:
                record.answer = answer
                record.save(update_fields=["answer"])
        return problem_response(body) if status >= 400 else Response(body, status=status)


def _answer_of(work: Callable[[], tuple[int, dict[str, Any] | None]]) -> list[Any]:
    try:
        with transaction.atomic():
            return list(work())
    except DomainError as refusal:
        return [refusal.status, body_of(refusal)]
