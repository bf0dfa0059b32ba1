"""Worker messages against bare Celery tasks that insert one row, and what one costs in a long log.

Run: python -m benchmarks.messages [--messages 1000] [--rounds 5] [--large 1000000] [--databases sqlite postgres].
Ten workers send the messages to each other; each message is read in a turn of its recipient, whose model says
nothing. Both are run by the same kind of worker (threads of this process, the embedded one's settings) on the
memory broker; the bare tasks are sent on commit and insert one row. Ratios are how many times the baseline's cost.
The log is filled by SQL, on PostgreSQL; rounds on the short and the long one alternate, so that a slow moment of
the machine meets both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.boardrows import connect
from benchmarks.serving import ROOT, database, environment, manage, median

WORKERS = 10
TEXT = "What is the codename of the spring launch? They ask me, and I was told that you know it."
#: A log of messages that others sent before, by SQL: a million by the ORM would take longer than what is measured.
LOG = """
INSERT INTO messaging_workermessage (message_id, organization_id, owner_id, sender, recipient, text, exchange,
    reply_to, request_uid, chain_uid, hop, automatic, status, reason, dispatch_key, at)
SELECT 'msg_' || lpad(to_hex(n), 20, '0'), (SELECT min(id) FROM workforce_organization),
    (SELECT min(id) FROM workforce_user), 'bench.' || n %% 10, 'bench.' || (n + 1) %% 10, %(text)s,
    'msg_' || lpad(to_hex(n), 20, '0'), '', gen_random_uuid(), gen_random_uuid(), 1, false, 'delivered', '',
    'before:' || n, now() - interval '1 day' + n * interval '1 millisecond'
FROM generate_series(%(first)s::bigint, %(last)s::bigint) n
"""
CHAINS = """
INSERT INTO messaging_chain (uid, count) SELECT chain_uid, count(*) FROM messaging_workermessage GROUP BY chain_uid
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--inside", choices=["rates", "costs"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        start_django()
        print(json.dumps(rates(options.messages) if options.inside == "rates" else costs(options.messages)))
        return
    print("database   bare tasks/s  messages/s  ratio")
    for kind in options.databases:
        with database(kind) as url:
            found = inside(prepared(url), "rates", options.messages)
            bare, full = found["bare"], found["messages"]
            print(f"{kind:9} {bare:13.0f} {full:11.0f} {bare / full:6.2f}", flush=True)
    if "postgres" in options.databases:
        measure_sizes(options)


def measure_sizes(options: argparse.Namespace) -> None:
    """The cost of one message with a short and a long log, both in one database server at once."""
    found: dict[int, list[float]] = {1_000: [], options.large: []}
    with database("postgres") as url:
        env = prepared(url)
        fill(url, 1, 1_000)
        for rows in found:
            fill(url, 1_001, rows)
            inside(env, "costs", 100)  # warms up
            for _ in range(options.rounds):
                found[rows].append(inside(env, "costs", 300)["send"])
    small, large = (median(times) for times in found.values())
    print(
        f"\nrows in the log   1,000: {small:.2f} ms   {options.large:,}: {large:.2f} ms   ratio {large / small:.2f}"
    )


def prepared(url: str) -> dict[str, str]:
    """The environment of a migrated database with ten workers."""
    env = {
        **environment(url),
        "CELERY_BROKER_URL": "memory://",
        "DISPATCH_LEASE_SECONDS": "3600",  # nothing renews that of the turns that send
        "WORKER_MESSAGES_HOP_LIMIT": "1000000",
        "WORKER_MESSAGES_PER_TURN": "1000000",
        "SQLITE_SYNCHRONOUS": "NORMAL",
    }
    manage(env, "migrate", "--verbosity", "0")
    manage(env, "organization", "create", "bench")
    seed = "from benchmarks.messages import seed; seed()"
    manage(env, "shell", "--verbosity", "0", "-c", seed)
    return env


def fill(url: str, first: int, last: int) -> None:
    """Rows of the log up to a number."""
    if last < first:
        return
    with connect(url) as connection:
        connection.execute(LOG, {"text": TEXT, "first": first, "last": last})
        connection.execute("TRUNCATE messaging_chain")
        connection.execute(CHAINS)
        connection.execute("VACUUM ANALYZE messaging_workermessage")
        connection.execute("VACUUM ANALYZE messaging_chain")


def inside(env: dict[str, str], what: str, messages: int) -> dict[str, float]:
    words = [sys.executable, "-m", "benchmarks.messages", "--inside", what, "--messages", str(messages)]
    done = subprocess.run(words, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def start_django() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")
    django.setup()
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from workforce.turns.models import register_model

    async def say_nothing(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart("")])

    register_model("test:nothing", lambda name: FunctionModel(say_nothing))


def seed() -> None:
    """Ten workers and their user."""
    from workforce.models import Organization, Seat
    from workforce.services.organizations import ensure_user

    ensure_user(username="bench")
    for number in range(WORKERS):
        Seat.objects.create(
            organization=Organization.objects.get(slug="bench"),
            seat_id=f"bench.{number}",
            kind="agent",
            description="Knows something.",
            settings={"model": "test:nothing"},
        )


def turns() -> list[Any]:
    """A turn of each worker, under way."""
    from workforce.callers import Caller
    from workforce.dispatch.claim import claim
    from workforce.dispatch.heartbeat import Held
    from workforce.dispatch.working import ClaimedWork
    from workforce.ids import new_uuid
    from workforce.kinds.agent_settings import AgentSettings
    from workforce.models import Organization, Request, Seat, User
    from workforce.services.conversing import ensure_worker_session
    from workforce.toolsets import Turn

    caller = Caller(
        user=User.objects.get(username="bench"), organization=Organization.objects.get(slug="bench")
    )
    found = []
    for seat in Seat.objects.order_by("seat_id"):
        session, _ = ensure_worker_session(caller=caller, worker_id=seat.seat_id)
        uid = new_uuid()
        Request.objects.create(
            uid=uid, chain_uid=uid, session=session, action="run", source="http", input={"message": "Go on."}
        )
        claimed = claim(uid)
        assert claimed is not None
        work = ClaimedWork(session, claimed, None, Held(claimed))
        found.append(Turn(seat, session, claimed, work, AgentSettings.model_validate(seat.settings)))
    return found


def send(turn: Any, number: int) -> None:
    from messaging.tools.messages import MessageInput, message_worker

    to = f"bench.{(number + 1) % WORKERS}"
    answer = message_worker(turn, MessageInput.model_validate({"to": to, "text": TEXT}))
    assert "sent" in answer, answer


def costs(messages: int) -> dict[str, float]:
    """The milliseconds of one send, with every check; nothing reads them."""
    from workforce.dispatch import start
    from workforce.models import Request

    start.nudge = lambda uid: None
    times = []
    for turn in (turn for number in range(messages // WORKERS) for turn in turns_of(number)):
        which = int(turn.seat.seat_id.partition(".")[2])
        since = time.perf_counter()
        send(turn, which)
        times.append((time.perf_counter() - since) * 1000)
    Request.objects.exclude(status="completed").update(status="completed")
    return {"send": median(times)}


def turns_of(number: int) -> list[Any]:
    """The same ten turns for three messages each, as a turn may send by default; then ten others."""
    if number % 3 == 0:
        _UNDER_WAY[:] = turns()
    return _UNDER_WAY


_UNDER_WAY: list[Any] = []


def rates(messages: int) -> dict[str, float]:
    """Per second: bare tasks, and messages with the turns that read them."""
    from celery import shared_task
    from django.db import transaction

    from workforce.models import Organization, Request
    from workforce_site.embedded import EmbeddedWorker

    @shared_task(name="bench.insert")
    def insert(name: str) -> None:
        Organization.objects.create(slug=name)

    def bare(number: int) -> None:
        with transaction.atomic():
            transaction.on_commit(lambda: insert.delay(f"row-{number}"))

    def inserted() -> int:
        return Organization.objects.filter(slug__startswith="row-").count()

    def read() -> int:
        return Request.objects.filter(action="onWorkerMessage", status="completed").count()

    under_way = turns()
    worker = EmbeddedWorker()
    worker.start()
    timed(bare, range(100), lambda: inserted() >= 100)
    timed(lambda n: send(under_way[n % WORKERS], n), range(100), lambda: read() >= 100)
    seconds_bare = timed(bare, range(100, 100 + messages), lambda: inserted() >= 100 + messages)
    under_way = turns()
    seconds = timed(
        lambda n: send(under_way[n % WORKERS], n), range(messages), lambda: read() >= 100 + messages
    )
    worker.stop()
    return {"bare": messages / seconds_bare, "messages": messages / seconds}


def timed(act: Callable[[int], None], numbers: range, done: Callable[[], bool]) -> float:
    started = time.perf_counter()
    for number in numbers:
        act(number)
    while not done():
        time.sleep(0.02)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
