"""The ways to run a worker: inside the server, or beside it on Redis or RabbitMQ where one answers."""

from __future__ import annotations

import socket
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.stories.server import Server

BROKERS = {
    "embedded": "memory://",
    "redis": "redis://127.0.0.1:6379/9",
    "rabbitmq": "amqp://guest:guest@127.0.0.1:5672//",
}


def answers(url: str) -> bool:
    """Whether something listens where the broker should be."""
    parts = urlsplit(url)
    if parts.hostname is None:
        return True
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((parts.hostname, parts.port or 0)) == 0


def each_broker() -> list[object]:
    """Parameters for a test that runs on each broker of this machine."""
    return [
        pytest.param(name, marks=pytest.mark.skipif(not answers(url), reason=f"no {name} at {url}"))
        for name, url in BROKERS.items()
    ]


def server_on(broker: str, folder: Path, **variables: str) -> Server:
    """A server for the broker, on a queue of its own; its workers are in it, or are to be started beside it."""
    options = () if broker == "embedded" else ("--no-worker",)
    own = {"CELERY_BROKER_URL": BROKERS[broker], "CELERY_QUEUE": f"story-{uuid.uuid4().hex[:12]}"}
    return Server(folder, *options, **{**own, **variables})
