"""Writing JSON answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer


class CompactJsonRenderer(BaseRenderer):
    """Compact UTF-8 JSON; keys in the order the answer was built."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if data is None:
            return b""
        return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


class JsonOnly(BaseContentNegotiation):
    """The API answers JSON whatever is asked for: a refusal about an Accept header helps nobody."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        media_type = (request.content_type or "").split(";", 1)[0].strip().lower()
        return parsers[0] if media_type == "application/json" or media_type.endswith("+json") else None

    def select_renderer(self, request: Any, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type
