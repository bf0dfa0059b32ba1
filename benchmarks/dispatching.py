"""From a post to the start of the turn that it wakes, against a bare Celery task sent on commit.

Run: python -m benchmarks.dispatching [--posts 200] [--brokers memory redis] [--databases sqlite postgres].
Both are picked up by the same kind of worker (threads of this process, the embedded one's settings) on the same
broker; the bare task inserts nothing and only notes the moment. Posts and tasks alternate, one at a time, so that
a slow moment of the machine meets both. The turn's model does nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

from benchmarks.serving import database, environment, manage

BROKERS = {"memory": "memory://", "redis": "redis://127.0.0.1:6379/7"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--posts", type=int, default=200)
    parser.add_argument("--brokers", nargs="*", default=list(BROKERS))
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        measure(options.posts)
        return
    print("database  broker    bare p50  p99   post p50  p99 ms   ratio p50  p99")
    for kind in options.databases:
        for broker in options.brokers:
            with database(kind) as url:
                variables = {
                    **environment(url),
                    "CELERY_BROKER_URL": BROKERS[broker],
                    "CELERY_QUEUE": "bench",
                }
                manage(variables, "migrate", "--verbosity", "0")
                print(f"{kind:9} {broker:7}", end=" ", flush=True)
                command = [sys.executable, "-m", "benchmarks.dispatching", "--inside"]
                subprocess.run([*command, "--posts", str(options.posts)], env=variables, check=True)


class Moments:
    """When each thing started, by its name."""

    def __init__(self) -> None:
        self._started: dict[str, float] = {}
        self._told = threading.Condition()

    def note(self, name: str) -> None:
        with self._told:
            self._started.setdefault(name, time.perf_counter())
            self._told.notify_all()

    def lag(self, name: str, since: float) -> float:
        """Milliseconds from ``since`` to the start, waiting for it."""
        with self._told:
            assert self._told.wait_for(lambda: name in self._started, timeout=30), name
            return (self._started[name] - since) * 1000


def measure(posts: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")
    import django

    django.setup()
    from celery import shared_task
    from django.db import transaction

    from workforce_site.embedded import EmbeddedWorker

    moments = Moments()
    shared_task(name="bench.bare")(moments.note)
    ours = _poster(moments)
    worker = EmbeddedWorker()
    worker.start()
    lags: dict[str, list[float]] = {"bare": [], "post": []}
    for number in range(posts + 10):
        since = time.perf_counter()
        with transaction.atomic():
            _insert(number)
            transaction.on_commit(lambda number=number: _send(f"bare {number}"))
        bare = moments.lag(f"bare {number}", since)
        since = time.perf_counter()
        ours(f"post {number}")
        post = moments.lag(f"post {number}", since)
        if number >= 10:  # the first ones warm both up
            lags["bare"].append(bare)
            lags["post"].append(post)
    worker.stop()
    figures = {name: (statistics.median(found), _p99(found)) for name, found in lags.items()}
    (bare50, bare99), (post50, post99) = figures["bare"], figures["post"]
    print(
        f"{bare50:9.1f} {bare99:5.1f} {post50:9.1f} {post99:5.1f}"
        f" {post50 / bare50:13.2f} {post99 / bare99:5.2f}",
        flush=True,
    )


def _p99(found: list[float]) -> float:
    return sorted(found)[int(len(found) * 0.99)]


def _send(name: str) -> None:
    from celery import current_app

    current_app.send_task("bench.bare", args=[name])


def _insert(number: int) -> None:
    """What a bare application would write with its task."""
    from workforce.models import Organization

    Organization.objects.create(slug=f"bare-{number}-{os.getpid()}")


def _poster(moments: Moments) -> Any:
    from mailboxes.state import opening_state
    from workforce.callers import Caller
    from workforce.kinds import Action, Kind, Mode, WorkerKind, register_kind
    from workforce.kinds.posts import PostDelivery
    from workforce.kinds.worker_settings import WorkerSettings
    from workforce.models import Grant, Seat, Session
    from workforce.services.organizations import create_organization, ensure_user
    from workforce.services.running import ActionCall, run_action

    class Prompt(WorkerKind):
        """A worker whose turn only notes when it started."""

        name = "prompt"
        settings = WorkerSettings

        def declare_actions(self) -> list[Action]:
            return [
                Action(
                    name="onMailboxPost",
                    input=PostDelivery,
                    work=lambda work: moments.note(work.input.body),
                    run=lambda call: None,
                    mode=Mode.BACKGROUND,
                    public=False,
                    serial=True,
                )
            ]

    assert issubclass(Prompt, Kind)
    register_kind(Prompt())
    organization = create_organization(slug="bench")
    owner = ensure_user(username="bench")
    Seat.objects.create(organization=organization, seat_id="bench.seat", kind="prompt", description="x")
    state = opening_state(members=["bench.seat"], charter="")
    Session.objects.create(
        organization=organization, owner=owner, kind="mailbox", address="bench.box", state=state
    )
    caller = Caller(user=owner, organization=organization, grants=frozenset(Grant.values))

    def post(body: str) -> None:
        run_action(caller=caller, asked=ActionCall("mailbox", "post", "bench.box", {"body": body}))

    return post


if __name__ == "__main__":
    main()
