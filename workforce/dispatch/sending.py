"""Sending messages from one thread of the process, so that no caller waits for the broker. See docs/dispatch.md."""

from __future__ import annotations

import atexit
import os
import threading
import time
from dataclasses import dataclass
from typing import Any

import structlog
from celery import current_app
from celery.exceptions import OperationalError

#: How many messages wait at most. One that finds no room is not sent: the sweep finds what it was about.
ROOM = 10_000
#: Seconds between two tries while the broker is away.
PAUSE = 1.0
#: Seconds that the end of the process waits for what is still to be sent.
FLUSH_SECONDS = 2.0
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Message:
    """A task to run, what it is about, and how many seconds after it is sent."""

    task: str
    args: tuple[Any, ...]
    countdown: float | None = None


class Sender:
    """The messages of this process that are still to be sent, and the thread that sends them.

    They go out in their order, one that waits already is not added again, and while the broker is away they wait
    for it. None of it is kept: the rows are, and the sweep looks for them.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything, the thread included: a forked process has neither."""
        self._waiting: dict[Message, None] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._sending = self._away = False

    def put(self, message: Message) -> None:
        """Have the message sent soon. Never waits for the broker."""
        with self._changed:
            if len(self._waiting) >= ROOM:
                return
            self._waiting[message] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sender", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything is sent; False when the broker is away, or time was up."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while (self._waiting or self._sending) and not self._away:
                if not self._changed.wait(deadline - time.monotonic()):
                    return False
            return not self._waiting

    def _run(self) -> None:
        while True:
            with self._changed:
                self._sending = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting)
                batch = list(self._waiting)
                self._waiting, self._sending = {}, True
            unsent = self._send(batch)
            if unsent:
                with self._changed:
                    newer = [message for message in self._waiting if message not in set(unsent)]
                    self._waiting = dict.fromkeys([*unsent, *newer][:ROOM])
                time.sleep(PAUSE)

    def _send(self, batch: list[Message]) -> list[Message]:
        """Send them over one producer; those that are left when the broker is away."""
        sent = 0
        try:
            with current_app.producer_or_acquire() as producer:
                for message in batch:
                    _send(message, producer)
                    sent += 1
        except Exception as error:
            self._tell(error, left=len(batch) - sent)
            return batch[sent:]
        self._tell(None)
        return []

    def _tell(self, error: Exception | None, *, left: int = 0) -> None:
        """Write one line when the broker goes away, and one when it is back."""
        with self._changed:
            was_away, self._away = self._away, error is not None
            self._changed.notify_all()
        if error is not None and not was_away:
            reason = f"{type(error).__name__}: {error}"[:200]
            log.warning("nudges_wait", count=left, reason=reason)
        elif error is None and was_away:
            log.warning("nudges_sent_again")


def _send(message: Message, producer: Any) -> None:
    """Send one. Raises what says that the broker is away; another fault costs this message only."""
    try:
        current_app.send_task(
            message.task, args=list(message.args), countdown=message.countdown, producer=producer, retry=False,
            ignore_result=True, add_to_parent=False,
        )  # fmt: skip
    except (OperationalError, OSError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        log.warning("nudge_failed", task=message.task, about=str(message.args), reason=reason)


SENDER = Sender()
os.register_at_fork(after_in_child=SENDER.reset)
atexit.register(SENDER.flush)
