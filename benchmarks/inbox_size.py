"""Calls of an inbox with a thousand messages and of one with a million, on PostgreSQL.

Run: python -m benchmarks.inbox_size [--large 1000000] [--calls 40]. Medians of calls one after the other, the inboxes
alternating; the ratio is the large one's time divided by the small one's. In both, 100 messages are open for the
caller; in a third of the large one's size 10,000 are, whose first page is compared with the large one's.
"""

from __future__ import annotations

import argparse
import http.client
import json
import time
from typing import Any
from urllib.parse import quote

from benchmarks.serving import database, environment, manage, median, server

SMALL, OPEN, MANY_OPEN = 1_000, 100, 10_000
#: One word in a hundred messages is "kestrel"; one message in ten thousand says "C++".
SEED = """
from django.db import connection
from messaging.inbox.models import Inbox, Participation
from messaging.inbox.services.admitting import admit_actor
from messaging.inbox.services.opening import create_inbox
from workforce.models import Organization
from workforce.services.organizations import ensure_user
organization, user = Organization.objects.get(slug="default"), ensure_user(username="bench")
keys = {{}}
with connection.cursor() as cursor:
    cursor.execute("SET synchronous_commit = off")
    for place, (slug, size, still_open) in enumerate({sizes}):
        inbox = create_inbox(organization=organization, slug=slug, duplicate_window=0)
        made = [admit_actor(organization=organization, passname=f"{{slug}}-{{name}}", user=user, grants=[],
            inbox=inbox, scope="write") for name in ("reader", "sender")]
        (reader, _, keys[slug]), (sender, _, keys[slug + "-sender"]) = made
        words = ("'order ' || n || CASE WHEN n %% 100 = 7 THEN ' for the kestrel desk' ELSE ' for the desk' END "
            "|| CASE WHEN n %% 10000 = 77 THEN ' in C++' ELSE '' END")
        key = "('01900000-0000-7000-80' || lpad(to_hex(%(place)s), 2, '0') || '-' || lpad(to_hex(n), 12, '0'))::uuid"
        values = {{"inbox": inbox.pk, "reader": reader.pk, "sender": sender.pk, "size": size, "place": place,
            "closed": size - still_open}}
        cursor.execute(f'''
            INSERT INTO messaging_message (id, inbox_id, seq, sender_id, type, topic, approval, thread_id, depth,
                created_at, open_receipts, recipient_count, payload_size, digest, excerpt, payload, words)
            SELECT {{key}}, %(inbox)s, n, %(sender)s, 'request', 'orders', false, {{key}}, 0, now(),
                CASE WHEN n > %(closed)s THEN 1 ELSE 0 END, 1, 40, '', to_json({{words}})::text,
                to_json({{words}})::text, lower({{words}}) FROM generate_series(1, %(size)s) n''', values)
        cursor.execute(f'''
            INSERT INTO messaging_receipt (message_id, inbox_id, recipient_id, sender_id, seq, type, topic, state,
                created_at, delivered_at, closed_at, note)
            SELECT {{key}}, %(inbox)s, %(reader)s, %(sender)s, n, 'request', 'orders',
                CASE WHEN n > %(closed)s THEN 'delivered' ELSE 'completed' END, now(), now(),
                CASE WHEN n > %(closed)s THEN NULL ELSE now() END, '' FROM generate_series(1, %(size)s) n''', values)
        place = Participation.objects.filter(inbox=inbox, actor=reader)
        place.update(delivered=still_open, last_pulled_at="2100-01-01T00:00Z")
        Inbox.objects.filter(pk=inbox.pk).update(message_seq=size)
    cursor.execute("VACUUM ANALYZE messaging_message")
    cursor.execute("VACUUM ANALYZE messaging_receipt")
import json
print(json.dumps(keys))
"""
SEARCHES = {
    "search word": "kestrel",
    "search two words": "kestrel order",
    "search phrase": '"the kestrel desk"',
    "search rare word": "order 177 kestr",
    "search C++": "C++",
    "search nothing": "albatross",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=40)
    options = parser.parse_args()
    sizes = [("small", SMALL, OPEN), ("large", options.large, OPEN), ("owing", options.large // 3, MANY_OPEN)]
    with database("postgres") as url:
        env = environment(url)
        manage(env, "migrate", "--verbosity", "0")
        manage(env, "organization", "create", "default")
        keys = json.loads(manage(env, "shell", "--verbosity", "0", "-c", SEED.format(sizes=sizes)))
        with server(env, "--no-worker") as port:
            compare(port, keys, options)


def compare(port: int, keys: dict[str, str], options: argparse.Namespace) -> None:
    print(f"call               {SMALL} messages  {options.large} messages  ratio  bytes")
    show(port, keys, options, "pull", "POST", "/pull", {"limit": 20})
    show(port, keys, options, "sent", "GET", "/sent?open=true", None, who="-sender")
    for name, words in SEARCHES.items():
        show(port, keys, options, name, "GET", f"/search?q={quote(words)}", None)
    show(port, keys, options, "pull, 10,000 open", "POST", "/pull", {"limit": 20}, than=("large", "owing"))


def show(
    port: int,
    keys: dict[str, str],
    options: argparse.Namespace,
    name: str,
    method: str,
    path: str,
    body: Any,
    *,
    who: str = "",
    than: tuple[str, str] = ("small", "large"),
) -> None:
    times: dict[str, list[float]] = {slug: [] for slug in than}
    size = 0
    for _ in range(options.calls + 5):
        for slug in than:
            seconds, size = once(port, method, f"/api/inboxes/{slug}{path}", keys[slug + who], body)
            times[slug].append(seconds * 1000)
    one, other = (median(times[slug][5:]) for slug in than)  # the first calls warm both up
    print(f"{name:18} {one:11.1f} ms {other:14.1f} ms  {other / one:5.2f}  {size}", flush=True)


def once(port: int, method: str, path: str, key: str, body: Any) -> tuple[float, int]:
    """One call over a connection of its own: its seconds, and the bytes of its answer."""
    wire = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    wire.connect()
    head = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    started = time.perf_counter()
    wire.request(method, path, body=None if body is None else json.dumps(body), headers=head)
    answer = wire.getresponse()
    content = answer.read()
    seconds = time.perf_counter() - started
    wire.close()
    if answer.status != 200:
        raise SystemExit(f"answered {answer.status}: {content[:300].decode()}")
    return seconds, len(content)


if __name__ == "__main__":
    main()
