"""Settings of a deployment with a handler of its own, and that handler. It writes down what it does."""

from __future__ import annotations

import os
import random
import time
from typing import Any

from workforce.kinds.handlers import HandlerTask
from workforce_site.settings import *  # noqa: F403

TASK_HANDLERS = {"slow": "tests.stories.handwork.do_slowly"}


def do_slowly(task: HandlerTask) -> dict[str, Any]:
    """Take a while; at the first attempt of some rows there is no luck."""
    _write("begun", task)
    time.sleep(random.uniform(0.02, 0.5))
    task.check()
    if task.attempt == 1 and task.input % 7 == 3:
        _write("done", task)
        raise ValueError("no luck")
    _write("done", task)
    return {"attempt": task.attempt, "pid": os.getpid()}


def _write(what: str, task: HandlerTask) -> None:
    line = f"{time.monotonic()} {what} {task.task_id} {task.attempt} {os.getpid()}\n"
    file = os.open(os.environ["HANDWORK"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())  # one write: lines of several processes stay whole
    os.close(file)
