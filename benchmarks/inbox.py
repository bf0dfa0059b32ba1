"""Calls of the durable inbox against minimal DRF views that authenticate a key and do the least of the same.

Run: python -m benchmarks.inbox [--rounds 5] [--seconds 2]. Under one server each, rounds alternating, so that a slow
moment of the machine meets both; the ratio is the baseline's rate divided by the inbox's (how many times its cost).

- send: a message to three recipients, against an insert of four rows
- pull: twenty previews that were delivered before, against an indexed read of twenty rows
- first pull: the same for the first time, against the read and the least that could be written of it: twenty rows
  marked, and twenty lines of history
- transition: a request completed, against a guarded update
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import count, cycle

from benchmarks.serving import call, database, environment, manage, median, rate, server

#: So many requests are there to be completed, and actors that pull for the first time.
CLOSABLE, FRESH = 20_000, 3_000
BASE, FRESH_BASE = "/api/inboxes/bench", "/api/inboxes/fresh"
#: Message ids that both sides can tell: this, and a number in hex.
PREFIX = "01900000-0000-7000-8000-"
SEED = """
import uuid
from django.db import connection
from messaging.inbox.models import Inbox, Message, Participation, Receipt
from workforce import clock
from workforce.keys import mint_key
from workforce.models import Actor, Key
inbox = Inbox.objects.get(slug="bench")
sender, reader = (Actor.objects.get(passname=name) for name in ("bench-sender", "bench-reader"))
messages, receipts = [], []
def send(number, topic, recipients):
    key = uuid.UUID(f"{prefix}{{number:012x}}")
    messages.append(Message(id=key, inbox=inbox, seq=number + 1, sender=sender, type="request", topic=topic,
        thread_id=key, payload="Do it.", payload_size=8, excerpt='"Do it."', words="do it.",
        open_receipts=len(recipients), recipient_count=len(recipients)))
    receipts.extend(Receipt(message_id=key, inbox=inbox, recipient=actor, sender=sender, seq=number + 1,
        type="request", topic=topic) for actor in recipients)
actors, keys = [], []
for number in range({fresh}):
    actors.append(Actor(organization=sender.organization, user=sender.user, passname=f"fresh-{{number}}"))
actors = Actor.objects.bulk_create(actors, batch_size=1000)
for actor in actors:
    minted = mint_key()
    keys.append(Key(actor=actor, prefix=minted.prefix, digest=minted.digest, grants=["inbox:read"],
        last_used_at=clock.now()))
    print(minted.text)
Key.objects.bulk_create(keys, batch_size=1000)
elsewhere = Inbox.objects.create(organization=sender.organization, slug="fresh")
for number in range(20):
    send(number, "kept", [reader])
for number in range(20, 20 + {closable}):
    send(number, "close", [reader])
Message.objects.bulk_create(messages, batch_size=2000)
Receipt.objects.bulk_create(receipts, batch_size=2000)
Participation.objects.filter(inbox=inbox, actor=reader).update(pending=len(receipts))
Inbox.objects.filter(pk=inbox.pk).update(message_seq=len(messages), duplicate_window=0)
inbox, count = elsewhere, len(messages)
messages.clear(), receipts.clear()
for number in range(count, count + 20):
    send(number, "fresh", actors)
Message.objects.bulk_create(messages, batch_size=2000)
Receipt.objects.bulk_create(receipts, batch_size=2000)
Participation.objects.bulk_create([Participation(inbox=inbox, actor=actor, pending=20) for actor in actors])
connection.cursor().execute("ANALYZE")
"""
BARE_SEED = """
from django.db import connection
from benchmarks.baseline.models import Row
Row.objects.bulk_create([Row(mailbox="kept", body="Do it.") for _ in range(20)])
Row.objects.bulk_create([Row(mailbox="close", body="open") for _ in range({closable})], batch_size=2000)
fresh = [Row(mailbox=f"fresh-{{n % {fresh}}}", body="Do it.") for n in range(20 * {fresh})]
Row.objects.bulk_create(fresh, batch_size=2000)
connection.cursor().execute("ANALYZE")
print(Row.objects.filter(mailbox="close").order_by("pk").first().pk)
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--connections", nargs="*", type=int, default=[1, 16])
    options = parser.parse_args()
    print("database  connections  call        baseline/s  inbox/s  ratio (min–max)")
    for kind in options.databases:
        with database(kind) as url:
            measure(kind, url, options)


def measure(kind: str, url: str, options: argparse.Namespace) -> None:
    bare, full = environment(url, "benchmarks.baseline.settings"), environment(url)
    manage(bare, "migrate", "--run-syncdb", "--verbosity", "0")
    keys = set_up(full)
    first_row = int(
        manage(bare, "shell", "--verbosity", "0", "-c", BARE_SEED.format(closable=CLOSABLE, fresh=FRESH))
    )
    seed = SEED.format(closable=CLOSABLE, fresh=FRESH, prefix=PREFIX)
    fresh = manage(full, "shell", "--verbosity", "0", "-c", seed).split()
    pairs = calls(keys, fresh, first_row)
    with server(bare, "--no-worker") as bare_port, server(full, "--no-worker") as full_port:
        for connections in options.connections:
            for name, (theirs, ours, (their_status, our_status)) in pairs.items():
                found = []
                for _ in range(options.rounds + 1):
                    timing = {"connections": connections, "seconds": options.seconds}
                    base = rate(bare_port, theirs, wanted=their_status, **timing)
                    found.append((base, rate(full_port, ours, wanted=our_status, **timing)))
                report(kind, connections, name, found[1:])  # the first round warms both up


def set_up(env: dict[str, str]) -> dict[str, str]:
    """An inbox with a sender and three others; the keys of two of them."""
    manage(env, "organization", "create", "default")
    manage(env, "inbox", "create", "bench")
    names = ("sender", "reader", "second", "third")
    words = ("--user", "bench", "--inbox", "bench", "--scope", "write", "--format", "json")
    made = {name: json.loads(manage(env, "actor", "add", f"bench-{name}", *words)) for name in names}
    return {name: made[name]["key"] for name in ("sender", "reader")}


def calls(
    keys: dict[str, str], fresh: list[str], first_row: int
) -> dict[str, tuple[bytes | Iterator[bytes], bytes | Iterator[bytes], tuple[str, str]]]:
    """What is called on either side, by name, with the statuses that are wanted."""
    sender, reader = keys["sender"], keys["reader"]
    letter = {"type": "info", "topic": "bench", "payload": "How do I pair my phone?", "allowDuplicate": True}
    insert = call("POST", "/api/insert-four", sender, {"mailbox": "bench", "body": "How do I pair my phone?"})
    read = call("GET", "/api/read?mailbox=kept", reader)
    rows, ids = count(first_row), count(20)
    # When all have pulled, they pull again, which is not for the first time: make FRESH larger then.
    marked = (call("POST", f"/api/deliver/fresh-{number % FRESH}", reader, {}) for number in count())
    first_pulls = (call("POST", f"{FRESH_BASE}/pull", key, {"limit": 20}) for key in cycle(fresh))
    updates = (call("POST", f"/api/update/{number}", reader, {}) for number in rows)
    moves = (call("POST", f"{BASE}/messages/{PREFIX}{number:012x}/complete", reader, {}) for number in ids)
    return {
        "send": (insert, call("POST", f"{BASE}/messages", sender, letter), ("201", "201")),
        "pull": (read, call("POST", f"{BASE}/pull", reader, {"limit": 20}), ("200", "200")),
        "first pull": (marked, first_pulls, ("200", "200")),
        "transition": (updates, moves, ("200", "200")),
    }


def report(kind: str, connections: int, name: str, pairs: list[tuple[float, float]]) -> None:
    ratios = [base / ours for base, ours in pairs]
    print(
        f"{kind:9} {connections:11}  {name:10} {median([b for b, _ in pairs]):11.0f} "
        f"{median([o for _, o in pairs]):8.0f}  {median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
