"""One call over HTTP, and how it can end."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from messaging.client.environment import Misused, Place

#: Seconds that a server may take beside what the call itself waits for.
PATIENCE = 30.0
_BUSY = frozenset({408, 425, 429})
_PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0)


class Refused(Exception):
    """The server refused the call; the same call again is refused again."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail", ""))
        self.problem = problem


class Unreachable(Exception):
    """Nobody knows whether the call was done: it may be repeated as it is."""


class Answered(dict[str, Any]):
    """An object of an answer. What must be in it and is not says that no inbox answered: Unreachable."""

    def __missing__(self, name: str) -> Any:
        raise Unreachable(f"the answer has no '{name}', so no inbox gave it; is WORKFORCE_URL right?")


@dataclass(frozen=True, slots=True)
class Wire:
    """Calls of one inbox. ``patience`` is for how many seconds a call is tried again that did not come through."""

    place: Place
    patience: float = 0.0

    def get(self, path: str, query: dict[str, Any] | None = None, *, wait: float = 0) -> dict[str, Any]:
        """A look. Raises Refused, Unreachable."""
        return self._call("GET", path, query or {}, None, {}, wait)

    def post(
        self,
        path: str,
        body: Any,
        query: dict[str, Any] | None = None,
        *,
        key: str = "",
        wait: float = 0,
    ) -> dict[str, Any]:
        """A change, which the server takes once: by its nature, or by the ``Idempotency-Key``."""
        headers = {"Idempotency-Key": key} if key else {}
        return self._call("POST", path, query or {}, body, headers, wait)

    def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any, headers: dict[str, str], wait: float
    ) -> dict[str, Any]:
        given = {name: value for name, value in query.items() if value not in (None, "")}
        target = f"/api/inboxes/{quote(self.place.inbox, safe='')}/{path}"
        target += f"?{urlencode(given)}" if given else ""
        try:
            content = None if body is None else json.dumps(body, allow_nan=False).encode()
        except (ValueError, RecursionError) as error:
            raise Misused(f"the payload is no JSON: {error}") from None
        deadline, tries = time.monotonic() + self.patience, 0
        while True:
            try:
                return self._once(method, target, content, headers, wait)
            except Unreachable:
                pause = _PAUSES[min(tries, len(_PAUSES) - 1)]
                if time.monotonic() + pause > deadline:
                    raise
                time.sleep(pause)
                tries += 1

    def _once(
        self, method: str, target: str, content: bytes | None, headers: dict[str, str], wait: float
    ) -> dict[str, Any]:
        parts = urlsplit(self.place.url)
        link = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        try:
            wire = link(parts.hostname or "", parts.port, timeout=wait + PATIENCE)
        except ValueError:
            raise Misused("WORKFORCE_URL names a port that is none") from None
        try:
            wire.request(method, f"{parts.path}{target}", body=content, headers={**self._own(), **headers})
            answer = wire.getresponse()
            status, raw = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{parts.netloc} was not reached: {type(error).__name__}") from None
        finally:
            wire.close()
        return _read(parts.netloc, status, raw)

    def _own(self) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self.place.key}",
            "Accept": "application/json",
            "Content-Type": "application/json",
        }
        return {**headers, "X-Passname": self.place.passname} if self.place.passname else headers


def _read(host: str, status: int, raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw, object_hook=Answered)
    except (ValueError, RecursionError):
        value = None
    known = value if isinstance(value, dict) else None
    if status >= 500 or status in _BUSY:
        reason = f" ({known['code']})" if known and "code" in known else ""
        raise Unreachable(f"{host} could not answer: HTTP {status}{reason}")
    if 200 <= status < 300:
        if known is None:
            raise Unreachable(f"{host} answered with something that is no JSON; is WORKFORCE_URL right?")
        return known
    # A redirect is followed by nobody: the key would go with it.
    unknown = {"code": f"http-{status}", "detail": f"{host} answered HTTP {status}; is WORKFORCE_URL right?"}
    raise Refused(known if known is not None and "code" in known else unknown)
