"""The OpenAPI document and its page: for everybody, without credentials."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularSwaggerView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.rendering import JsonOnly
from workforce.api.views import ApiView


@cache
def openapi_document() -> dict[str, Any]:
    """The document; the kinds and paths of a process never change, so it is built once."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


class SchemaView(ApiView):
    """The OpenAPI document."""

    permission_classes = [AllowAny]
    schema = None  # described among the fixed paths

    def get(self, request: HttpCall) -> Response:
        return Response(openapi_document())


class DocsView(SpectacularSwaggerView):
    """The document as a page. Its assets are this server's own."""

    permission_classes = [AllowAny]
    authentication_classes = []
    content_negotiation_class = JsonOnly  # one renderer, whatever is asked for: a 406 helps nobody
    http_method_names = ["get", "head"]
    url_name = "schema"
    schema = None
