"""The shared components: parameters, headers, problems, and how a call is authenticated."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.conf import settings

from workforce.api.prefer import MAX_WAIT
from workforce.api.problems import CONTENT_TYPE
from workforce.models import Item, Request

Schema = dict[str, Any]
STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 2**53}


def limit(*, default: int, maximum: int) -> Schema:
    """The schema of a ``limit``."""
    return {"type": "integer", "minimum": 1, "maximum": maximum, "default": default}


#: Query parameters by name: (description, schema). A list in one parameter is comma-separated.
QUERY: dict[str, tuple[str, Schema]] = {
    "limit": ("How many at most.", limit(default=50, maximum=200)),
    "cursor": ("The `nextCursor` of the page before.", {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}),
    "flowKind": ("Of this kind only.", {"type": "string", "maxLength": 64}),
    "q": ("With each of these words in it.", {"type": "string", "maxLength": 200}),
    "worker": ("From or to this worker.", {"type": "string", "maxLength": 130}),
    "exchange": ("Of the exchange that this message began.", {"type": "string", "maxLength": 24}),
    "include": (
        "`dispatch-runs`: child sessions too.",
        {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["dispatch-runs"]}},
    ),
    "status": ("With this status only.", {"type": "string", "enum": list(Request.Status.values)}),
    "types": (
        "Of these types only.",
        {"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(Item.Type.values)}},
    ),
    "component": ("Of this component only.", {"type": "string", "maxLength": 64}),
    "after": ("Only what has a higher number.", NUMBER),
    "before": ("Only what has a lower number.", NUMBER),
    "seat": ("Of this seat only.", STRING),
    "mailbox": ("Of this mailbox only.", STRING),
    "assignee": ("Assigned to this worker key only.", {"type": "string", "maxLength": 130}),
    "label": ("With this label only.", {"type": "string", "maxLength": 64}),
    "ordering": ("The order; `-` is largest or newest first.", STRING),
    "kind": ("Of this kind only.", STRING),
    "type": ("Of this type only.", {"type": "string", "enum": ["request", "info", "message"]}),
    "topic": ("In this topic only.", {"type": "string", "maxLength": 64}),
    "sender": ("Sent by this passname only.", {"type": "string", "maxLength": 64}),
    "passname": ("Of this passname only.", {"type": "string", "maxLength": 64}),
    "order": ("By the number of the message.", {"type": "string", "enum": ["oldest", "newest"]}),
    "open": (
        "`true`: only what its sender has not closed and somebody has open; `false`: only the rest.",
        {"type": "string", "enum": ["true", "false"]},
    ),
    "since": ("From this moment on: ISO 8601 with a zone, or epoch milliseconds.", STRING),
    "until": ("Before this moment: ISO 8601 with a zone, or epoch milliseconds.", STRING),
    "hours": ("How many hours back what went through is looked at.", limit(default=24, maximum=720)),
    "view": ("Which messages of the thread.", STRING),
    "maxChars": (
        "Characters of a payload as compact JSON; a longer one is answered as the beginning of it.",
        {"type": "integer", "minimum": 1, "maximum": 10_000_000},
    ),
    "budgetChars": (
        "How long the whole answer may be; what does not fit is counted in `leftOut`.",
        {"type": "integer", "minimum": 500, "maximum": 10_000_000},
    ),
    "wait": (
        "Seconds to wait when there is nothing yet.",
        {"type": "integer", "minimum": 0, "maximum": MAX_WAIT, "default": 0},
    ),
}

USER_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 150}
_USER_WORDS = (
    "The caller's name. In open mode it says who calls; with a credential it may be left out, and another "
    "name than the caller's is `user-mismatch`."
)

#: Request headers by name: (description, schema).
REQUEST_HEADERS: dict[str, tuple[str, Schema]] = {
    "X-User": ("Open mode: who calls, when no `userId` says so; 1 to 150 printable characters.", STRING),
    "X-Passname": ("With a key: must be the key's passname when it is sent.", STRING),
    "X-Organization": ("With a browser session: which of the user's organizations.", STRING),
    "Idempotency-Key": (
        (
            "The same key on the same path with the same input is one call, for 24 hours: the first answer is "
            "given again."
        ),
        {"type": "string", "minLength": 1, "maxLength": 255},
    ),
    "Prefer": (
        (
            "`return=representation`: the output in the answer. `wait=<seconds>` (at most 60): wait for an action "
            "that runs in the background. Anything else is passed over."
        ),
        STRING,
    ),
    "If-Match": (
        (
            "The `ETag` of the row as it was read: a row that has changed since is 412, and nothing is written. "
            "`*` is any row that is there; a weak tag never matches."
        ),
        {"type": "string", "pattern": '^(\\*|(W/)?"[^" ]*")$'},
    ),
    "If-None-Match": ("The `ETag` that is known; nothing new is 304.", STRING),
    "Last-Event-ID": (
        "Resume after this item's number; wins over `after`.",
        {"type": "string", "pattern": "^[0-9]{1,15}$"},
    ),
}
CALLER_HEADERS = ("X-User", "X-Passname", "X-Organization")

#: Response headers by name: (description, schema, always there).
HEADERS: dict[str, tuple[str, Schema, bool]] = {
    "X-Request-Id": (
        "The call's id, as in the server's log; the caller's own when it was sent and is harmless.",
        {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
        True,
    ),
    "Location": ("Where the thing is that was made.", {"type": "string", "pattern": "^/api/"}, True),
    "ETag": ("The version of this answer.", {"type": "string", "pattern": '^".+"$'}, True),
    "Preference-Applied": ("Which preferences were honoured.", STRING, False),
    "Retry-After": ("Seconds to wait.", {"type": "string", "pattern": "^[0-9]+$"}, True),
    "WWW-Authenticate": ("How to authenticate.", {"type": "string", "pattern": "^Bearer "}, True),
    "Cache-Control": ("The answer is not to be kept.", STRING, True),
}

#: The problems by status: (component's name, words, headers).
PROBLEMS: dict[int, tuple[str, str, tuple[str, ...]]] = {
    400: (
        "InvalidCall",
        (
            "`invalid-input`, `invalid-json`, `invalid-cursor` or `unknown-parameter`; `errors` names each bad "
            "field by its path."
        ),
        (),
    ),
    401: ("Unauthenticated", "`unauthenticated`, `key-revoked` or `key-expired`.", ("WWW-Authenticate",)),
    403: (
        "NotAllowed",
        "`frozen`, `not-granted` (names the grant), `user-mismatch`, `passname-mismatch` or `not-allowed`.",
        (),
    ),
    404: (
        "NotFound",
        (
            "`not-found`, `no-such-flow`, `no-such-action`, `session-not-found` or `task_not_found`; what another "
            "user or organization owns is answered the same."
        ),
        (),
    ),
    409: ("Conflict", "The state of the thing does not admit the call; `code` says why.", ()),
    412: ("Stale", "`stale`: what `If-Match` names has changed since; nothing was written.", ()),
    413: ("TooLarge", "`too-large`: the body is over the limit; with `size` and `limit` in bytes.", ()),
    415: ("NotJson", "`not-json`: send `application/json`.", ()),
    422: ("Refused", "What the call names is not admitted; `code` says why.", ()),
    429: ("Throttled", "`throttled`: too many writes.", ("Retry-After",)),
    500: (
        "Defect",
        (
            "`internal-error` or `abandoned`: a run in the background that was waited for died of a defect; the "
            "server's log has it."
        ),
        (),
    ),
    501: ("NoStreams", "`no-streams`: this server cannot stream; read the items instead.", ()),
    503: (
        "Unavailable",
        "`unavailable` or `external-dispatcher`; nothing was written, try again.",
        ("Retry-After",),
    ),
}

PROBLEM: Schema = {
    "type": "object",
    "description": (
        "A problem document (RFC 9457). `code` is the interface: it never changes, words may. Some problems "
        "have further members (`size` and `limit` of `too-large`). The codes: docs/errors.md."
    ),
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "pattern": "^urn:workforce:problem:"},
        "title": {"type": "string", "description": "The status in words."},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "What is wrong, and the mend."},
        "code": {"type": "string", "pattern": "^[a-z][a-z0-9_-]*$", "examples": ["invalid-input"]},
        "errors": {
            "type": "array",
            "description": "Each bad field.",
            "items": {
                "type": "object",
                "required": ["path", "message"],
                "properties": {"path": STRING, "message": STRING},
                "additionalProperties": False,
            },
        },
        "request": {
            "type": "object",
            "description": "The failed request, when the refusal is an action's own.",
            "required": ["id"],
            "properties": {"id": {"type": "string", "format": "uuid"}},
            "additionalProperties": False,
        },
    },
}

SECURITY_SCHEMES: Schema = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "An actor's key, `wfk_<prefix>_<secret>`; what it may do are its grants.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sessionid",
        "description": "A browser session; anything but reading also needs the header `X-CSRFToken`.",
    },
}


def security() -> list[Schema]:
    """What a call may authenticate with; in open mode nothing is needed."""
    needed: list[Schema] = [{"key": []}, {"session": []}]
    return [*needed, {}] if settings.WORKFORCE_AUTH == "open" else needed


def problem_statuses(method: str, path: str) -> set[int]:
    """The problems that any call of this method and path can end with."""
    found = {400, 401, 403, 413, 503}
    if "{" in path:
        found.add(404)
    return found if method == "GET" else found | {415, 429}


def parameter(name: str, place: str, words: str, schema: Schema, *, required: bool = False) -> Schema:
    """One parameter; a list stands comma-separated in one value."""
    made: Schema = {"name": name, "in": place, "description": words, "schema": schema}
    if required:
        made["required"] = True
    if schema.get("type") == "array":
        made |= {"style": "form", "explode": False}
    return made


def query_parameter(name: str, override: Schema | None) -> Schema:
    """A query parameter of the shared table, or with a schema of its own."""
    words, schema = QUERY[name]
    return parameter(name, "query", words, override or schema)


def shared_parameters() -> Schema:
    """The components that operations refer to."""
    made = {"userId": parameter("userId", "query", _USER_WORDS, USER_ID)}
    for name, (words, schema) in REQUEST_HEADERS.items():
        made[name] = parameter(name, "header", words, schema)
    return made


def shared_headers() -> Schema:
    """The response headers that answers refer to."""
    return {
        name: {"description": words, "schema": schema, **({"required": True} if always else {})}
        for name, (words, schema, always) in HEADERS.items()
    }


def header_refs(names: tuple[str, ...]) -> Schema:
    """References to response headers, ``X-Request-Id`` first."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *names)}


def shared_responses() -> Schema:
    """A problem response per status."""
    content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        name: {
            "description": f"{HTTPStatus(status).phrase}: {words}",
            "headers": header_refs(headers),
            "content": content,
        }
        for status, (name, words, headers) in PROBLEMS.items()
    }


def problem_refs(statuses: set[int]) -> Schema:
    """References to the problem responses of an operation."""
    return {
        str(status): {"$ref": f"#/components/responses/{PROBLEMS[status][0]}"} for status in sorted(statuses)
    }
