"""Serve web and worker in one process."""

from __future__ import annotations

import ipaddress
import signal
from socket import AF_INET, AF_INET6, IPPROTO_TCP, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from types import FrameType
from typing import Any

import structlog
import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection

from workforce.selectors.migrations import is_migrated
from workforce_site.asgi import application
from workforce_site.embedded import EmbeddedWorker
from workforce_site.patience import PatientProtocol

#: How long a stop waits for calls. Longer than a write may wait for SQLite's lock: what was begun is answered.
DRAIN_SECONDS = 40
log = structlog.get_logger(__name__)


class _Server(uvicorn.Server):
    """Lets go of open streams and waits first when it is to stop, so that it can."""

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        application.watcher.close()
        await super().shutdown(sockets)


class Command(BaseCommand):
    help = "Serve web and worker in one process. It neither migrates nor loads a tree."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", help="HOST:PORT (default: 127.0.0.1:8000)")
        parser.add_argument(
            "--no-worker", action="store_true", help="serve the web only; workers run elsewhere"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = _parse_bind(options["bind"])
        if settings.WORKFORCE_AUTH == "open" and not _is_loopback(host):
            raise CommandError(
                f"open mode takes anybody's word for who they are, so it serves this machine only, not {host}; "
                "bind to 127.0.0.1, or set WORKFORCE_AUTH=keys"
            )
        _check_migrated()
        starts_none = options["no_worker"] or settings.DISPATCH == "disabled"
        worker = None if starts_none else EmbeddedWorker()
        server = _Server(
            uvicorn.Config(
                application,
                host=host,
                port=port,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="off",
                http=PatientProtocol,
                timeout_graceful_shutdown=DRAIN_SECONDS,
            )
        )
        listening = _listen(host, port)
        self.stderr.write(
            f"serving on http://{host if ':' not in host else f'[{host}]'}:{port} (Ctrl-C stops)"
        )
        if worker is not None:
            worker.start()
        # A stopped server raises the signal that stopped it once more; the worker is still to be stopped then.
        default = {number: signal.signal(number, _pass) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            server.run(sockets=[listening])
        finally:
            for number, handler in default.items():
                signal.signal(number, handler)
            if worker is not None:
                worker.stop()


def _pass(number: int, frame: FrameType | None) -> None:
    """Take the signal and go on."""


def _parse_bind(bind: str) -> tuple[str, int]:
    host, _, port = bind.rpartition(":")
    if not host or not port.isdigit() or not 0 <= int(port) <= 65_535:
        raise CommandError(f"--bind {bind!r} is not HOST:PORT, for example 127.0.0.1:8000")
    return host.strip("[]"), int(port)


def _check_migrated() -> None:
    """A database that is away may come; one that is behind does not catch up by itself."""
    try:
        behind = not is_migrated()
    except DatabaseError as error:
        log.warning("database_away", reason=f"{type(error).__name__}: {error}"[:200])
        return
    finally:
        connection.close()
    if behind:
        raise CommandError("the database is not migrated; run 'manage.py migrate' first")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket:
    """The socket to serve on, taken before anything else is started."""
    # The protocol is named: only then are small answers sent at once instead of after the client's delayed ACK.
    listening = socket(AF_INET6 if ":" in host else AF_INET, SOCK_STREAM, IPPROTO_TCP)
    listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise CommandError(
            f"cannot serve on {host}:{port}: {error.strerror or error}; is the port taken?"
        ) from None
    return listening
