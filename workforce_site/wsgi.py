"""The WSGI application: everything but streams and waits (for gunicorn beside the ASGI server)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")
#: For the ASGI server in front, which sets internal headers itself and drops those of a client.
trusting_application = get_wsgi_application()
_INTERNAL = "HTTP_X_WORKFORCE_"
#: What an answer says to that server alone.
_INWARD = "x-workforce-"


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Serve a client directly: headers between the server in front and this one are dropped, both ways."""
    kept = {name: value for name, value in environ.items() if not name.startswith(_INTERNAL)}

    def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
        outward = [(name, value) for name, value in headers if not name.lower().startswith(_INWARD)]
        return start_response(status, outward, *more)

    return trusting_application(kept, start)
