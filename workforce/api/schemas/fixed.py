"""The paths that no REST view stands behind."""

from __future__ import annotations

from typing import Any

from workforce.api.schemas.parts import header_refs, problem_refs

STATUS = {"type": "string", "enum": ["ok", "unavailable"]}


def _operation(id: str, summary: str, responses: dict[str, Any], *, open: bool = True) -> dict[str, Any]:
    made: dict[str, Any] = {"operationId": id, "summary": summary, "tags": ["service"]}
    if open:
        made["security"] = []
    # Every path is behind the same door: NUL in the query is 400, a large body 413.
    made["responses"] = {**responses, **problem_refs({400, 413} if open else {400, 401, 413})}
    return {"get": made}


def _answer(words: str, media: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": words, "headers": header_refs(()), "content": {media: {"schema": schema}}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def fixed_paths() -> dict[str, Any]:
    """Health, readiness, metrics, and the document itself with its page."""
    ready = _object(
        {"status": STATUS, "checks": _object({"database": {"type": "string"}, "broker": {"type": "string"}})}
    )
    unready = _answer("Not ready; `checks` says what is wrong.", "application/json", ready)
    unready["headers"] |= {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    metrics = _operation(
        "readMetrics",
        "Prometheus text; unless the service is open, the bearer is `METRICS_TOKEN` and no key.",
        {"200": _answer("The metrics of this process.", "text/plain", {"type": "string"})},
        open=False,
    )
    return {
        "/healthz": _operation(
            "readHealth",
            "Whether the process answers.",
            {"200": _answer("It does.", "application/json", _object({"status": {"const": "ok"}}))},
        ),
        "/readyz": _operation(
            "readReadiness",
            "Whether the database is reachable and migrated, and the broker reachable.",
            {"200": _answer("Ready.", "application/json", ready), "503": unready},
        ),
        "/metrics": metrics,
        "/api/schema": _operation(
            "readSchema",
            "This document.",
            {"200": _answer("OpenAPI 3.1.", "application/json", {"type": "object"})},
        ),
        "/api/docs": _operation(
            "readDocs",
            "This document as a page.",
            {"200": _answer("The page; its assets are served from here.", "text/html", {"type": "string"})},
        ),
    }
