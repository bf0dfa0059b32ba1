"""Messages go out from a thread of their own: no caller waits for the broker, and few are lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from celery.exceptions import OperationalError

from tests.stories.server import ROOT
from workforce.dispatch import sending, start
from workforce.dispatch.sending import Message, Sender


class Broker:
    """Notes what is sent, and can be away, slow, or unable to take one message."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.countdowns: list[Any] = []
        self.connections = self.tries = 0
        self.away = False
        self.bad: str | None = None
        self.open = threading.Event()
        self.open.set()

    def producer_or_acquire(self) -> Any:
        self.connections += 1
        return nullcontext(object())

    def send_task(self, name: str, *, args: list[Any], producer: Any, **options: Any) -> None:
        self.tries += 1
        self.open.wait(5)
        if self.away:
            raise OperationalError("no broker")
        if args == [self.bad]:
            raise ValueError("cannot be written down")
        self.sent.append(args[0])
        self.countdowns.append(options.get("countdown"))


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    made = Broker()
    monkeypatch.setattr(sending, "current_app", made)
    monkeypatch.setattr(sending, "PAUSE", 0.01)
    yield made
    made.open.set()


@pytest.fixture
def sender(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Sender:
    made = Sender()
    monkeypatch.setattr(start, "SENDER", made)
    return made


def message(word: object) -> Message:
    return Message("a.task", (str(word),))


def test_nudge__waits_for_no_broker(sender: Sender, broker: Broker) -> None:
    broker.open.clear()
    started = time.monotonic()
    uids = [uuid.uuid4() for _ in range(100)]
    for uid in uids:
        start.nudge(uid)
    assert time.monotonic() - started < 1
    assert broker.sent == []
    broker.open.set()
    assert sender.flush(5)
    assert broker.sent == [str(uid) for uid in uids]


def test_put__what_comes_together_shares_a_producer(sender: Sender, broker: Broker) -> None:
    broker.open.clear()
    for number in range(100):
        sender.put(message(number))
    broker.open.set()
    assert sender.flush(5)
    assert len(broker.sent) == 100 and broker.connections <= 2


def test_put__what_waits_already_is_sent_once_and_what_was_sent_again(sender: Sender, broker: Broker) -> None:
    broker.open.clear()
    sender.put(message("first"))
    while not broker.tries:
        time.sleep(0.001)
    for _ in range(3):
        sender.put(message("again"))
    sender.put(message("first"))  # its message may be run before what it is to tell of is there
    broker.open.set()
    assert sender.flush(5)
    assert broker.sent == ["first", "again", "first"]


def test_put__how_long_after_it_is_sent_it_is_to_be_run(sender: Sender, broker: Broker) -> None:
    sender.put(Message("a.task", ("soon",), countdown=0.2))
    assert sender.flush(5)
    assert broker.countdowns == [0.2]


def test_put__finds_no_room(sender: Sender, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "ROOM", 2)
    broker.open.clear()
    sender.put(message("first"))
    while not broker.tries:
        time.sleep(0.001)
    for number in range(5):
        sender.put(message(number))
    broker.open.set()
    assert sender.flush(5)
    assert broker.sent == ["first", "0", "1"]


def test_send__waits_for_a_broker_that_is_away(sender: Sender, broker: Broker) -> None:
    broker.away = True
    sender.put(message("first"))
    sender.put(message("second"))
    while broker.tries < 3:
        time.sleep(0.001)
    assert not sender.flush(5)  # at once: nobody waits for a broker that is away
    broker.away = False
    while len(broker.sent) < 2:
        time.sleep(0.001)
    assert sender.flush(5)
    assert broker.sent == ["first", "second"]


def test_send__a_message_that_cannot_be_sent_costs_no_other(sender: Sender, broker: Broker) -> None:
    broker.bad = "bad"
    for word in ("bad", "good"):
        sender.put(message(word))
    assert sender.flush(5)
    assert broker.sent == ["good"]


def test_flush__ends_in_time(sender: Sender, broker: Broker) -> None:
    broker.open.clear()
    sender.put(message("first"))
    assert not sender.flush(0.05)


def test_sender__a_forked_process_sends_for_itself(sender: Sender, broker: Broker) -> None:
    sender.put(message("before"))
    assert sender.flush(5)
    sender.reset()
    sender.put(message("after"))
    assert sender.flush(5)
    assert broker.sent == ["before", "after"]


def test_exit__sends_what_is_left(tmp_path: Any) -> None:
    script = """
import django; django.setup()
import time
from celery import current_app
from workforce.dispatch import sending
sending.current_app.send_task = lambda name, args, **options: (time.sleep(0.2), print(args[0], flush=True))
for word in ("one", "two"):
    sending.SENDER.put(sending.Message("a.task", (word,)))
"""
    env = {**os.environ, "DEBUG": "1", "DJANGO_SETTINGS_MODULE": "workforce_site.settings"}
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout.split() == ["one", "two"], ran.stderr
