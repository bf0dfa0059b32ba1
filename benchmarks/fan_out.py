"""Telling 100 members of a line against inserting 100 rows in bulk, and a post to 100 members against one to one.

Run: python -m benchmarks.fan_out [--rounds 30] [--databases sqlite postgres]. One process, no server: what is timed
is the run of the fan-out's request from its claim to its commit, and `bulk_create` of 100 request rows of the same
size in one transaction. Rounds alternate, so that a slow moment of the machine meets both. The messages that nudge
workers after the commit are timed apart: what handing them over costs the run, and when the last one is sent.
"First" is the first line of a mailbox, which makes 100 conversations too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

from benchmarks.serving import ROOT, database, environment, manage, median

MEMBERS = 100
BODY = "How do I pair my phone? It blinks blue, and then it gives up after a minute."


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measure(options.rounds)))
        return
    print(
        "database   bulk ms  fan-out ms  ratio  first ms  ratio  nudges ms  sent ms   post to 1 ms  to 100 ms  ratio"
    )
    for kind in options.databases:
        with database(kind) as url:
            env = environment(url)
            manage(env, "migrate", "--verbosity", "0")
            words = [sys.executable, "-m", "benchmarks.fan_out", "--inside", "--rounds", str(options.rounds)]
            done = subprocess.run(words, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True)
            show(kind, json.loads(done.stdout))


def show(kind: str, times: dict[str, list[float]]) -> None:
    at = {name: median(values) * 1000 for name, values in times.items()}
    print(
        f"{kind:9} {at['bulk']:8.1f} {at['fan-out']:11.1f} {at['fan-out'] / at['bulk']:6.2f} {at['first']:9.1f} "
        f"{at['first'] / at['bulk']:6.2f} {at['nudges']:10.1f} {at['sent']:8.1f} {at['one']:14.2f} {at['many']:10.2f} "
        f"{at['many'] / at['one']:6.2f}",
        flush=True,
    )


def measure(rounds: int) -> dict[str, list[float]]:
    """Seconds by what was timed, one entry per round."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")
    django.setup()
    bench = Bench()
    times: dict[str, list[float]] = {
        name: [] for name in ("bulk", "fan-out", "first", "nudges", "sent", "one", "many")
    }
    for number in range(rounds + 3):
        timed = bench.round(number)
        if number >= 3:  # the first ones warm up
            for name, seconds in timed.items():
                times[name].append(seconds)
    return times


class Bench:
    """A mailbox with one member and one with a hundred, and a fresh one for each round."""

    def __init__(self) -> None:
        from workforce.callers import Caller
        from workforce.models import Seat
        from workforce.services.organizations import ensure_organization, ensure_user

        organization, user = ensure_organization(slug="default"), ensure_user(username="bench")
        self.caller = Caller(user=user, organization=organization)
        self.members = [f"bench.seat-{number}" for number in range(MEMBERS)]
        Seat.objects.bulk_create(
            Seat(organization=organization, seat_id=member, kind="agent", description="Helps.")
            for member in self.members
        )
        self.open("one", self.members[:1])
        self.open("many", self.members)

    def open(self, address: str, members: list[str]) -> None:
        from mailboxes.state import opening_state
        from workforce.models import Session

        Session.objects.create(
            organization=self.caller.organization,
            owner=self.caller.user,
            kind="mailbox",
            address=address,
            state=opening_state(members=members, charter=""),
        )

    def round(self, number: int) -> dict[str, float]:
        from workforce.dispatch import run, start
        from workforce.dispatch.sending import SENDER

        unsent: list[uuid.UUID] = []
        nudge = start.nudge
        start.nudge = run.nudge = unsent.append
        try:
            one, many = timed(lambda: self.post("one")), timed(lambda: self.post("many"))
            self.open(f"fresh-{number}", self.members)
            self.post(f"fresh-{number}")
            unsent.clear()
            fan_out = timed(lambda: self.run("many"))
            owed = list(unsent)
            first = timed(lambda: self.run(f"fresh-{number}"))
            bulk = timed(self.insert)
            self.run("one")
        finally:
            start.nudge = run.nudge = nudge
        started = time.perf_counter()
        nudges = timed(lambda: [nudge(uid) for uid in owed])
        assert SENDER.flush(30), "the broker is away"
        sent = time.perf_counter() - started
        assert len(owed) == MEMBERS, f"{len(owed)} were told"
        self.clear()
        return {
            "bulk": bulk,
            "fan-out": fan_out,
            "first": first,
            "nudges": nudges,
            "sent": sent,
            "one": one,
            "many": many,
        }

    def post(self, address: str) -> None:
        from workforce.services.running import ActionCall, run_action

        run_action(
            caller=self.caller,
            asked=ActionCall(kind="mailbox", action="post", address=address, input={"body": BODY}),
        )

    def run(self, address: str) -> None:
        from workforce.dispatch.run import try_run
        from workforce.models import Request

        waiting = Request.objects.filter(action="onPosted", session__address=address, status="pending")
        assert try_run(waiting.latest("id").uid)

    def insert(self) -> None:
        """What is inserted at the very least: a hundred requests with their deliveries."""
        from django.db import transaction

        from workforce.models import Request, Session

        session = Session.objects.get(address="many")
        delivery = {
            "mailboxId": "many",
            "postId": str(uuid.uuid4()),
            "body": BODY,
            "principal": "bench",
            "member": "bench.seat-000",
        }
        with transaction.atomic():
            Request.objects.bulk_create(
                Request(
                    session=session,
                    action="onMailboxPost",
                    source="dispatch",
                    input=delivery,
                    serial=True,
                    status="completed",
                    dispatch_key=f"bulk:{uuid.uuid4()}:{number}",
                )
                for number in range(MEMBERS)
            )

    def clear(self) -> None:
        """End what was owed, so that the next round does not look through it."""
        from workforce.models import Request

        Request.objects.filter(status="pending").update(status="completed")


def timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
