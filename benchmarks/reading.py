"""`read` and an items page with 1,000 and with 1,000,000 lines in the mailbox: how far apart?

Run: python -m benchmarks.reading [--lines 1000000] [--rounds 5] [--seconds 2]. Both mailboxes are in one
database and rounds alternate; the ratio is the small one's rate divided by the large one's.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from benchmarks.serving import call, database, environment, manage, median, rate, server

SMALL = 1_000
SEED = """
from mailboxes.state import opening_state
from workforce.models import Organization, Session, User
organization = Organization.objects.get(slug="default")
owner = User.objects.get(username="bench")
for lines in {sizes}:
    session = Session.objects.create(organization=organization, owner=owner, kind="mailbox",
        address=f"bench.lines{{lines}}", state=opening_state(members=[], charter=""), item_seq=lines, line_seq=lines)
    print(session.pk)
"""
#: Requests and lines as `post` leaves them, written by the database itself: a million posts would take an hour.
REQUESTS = """
INSERT INTO workforce_request (uid, session_id, action, source, status, passname, input, metadata, created_at, serial,
  reads, counted, attempts, claimed_by, input_tokens, output_tokens)
SELECT {uuid}, {session}, 'post', 'http', 'completed', 'bench', '{{"body":"x"}}', '{{}}', {now}, {true}, {false}, 2, 1,
  '', 0, 0 FROM {numbers}
"""
ITEMS = """
INSERT INTO workforce_item (id, session_id, seq, type, component, request_id, at, line_seq, principal, author, passname,
  seat_authored, body)
SELECT {uuid}, {session}, n, 'component', 'mailbox-post', {uuid}, {now}, n, 'bench', '', 'bench', {false},
  'Line ' || n || ' of a long conversation about phones that do not pair.' FROM {numbers}
"""
DIALECTS: dict[str, dict[str, str]] = {
    "sqlite": {
        "uuid": "printf('%08x%024x', {session}, n)",
        "now": "'2026-01-01 00:00:00'",
        "true": "1",
        "false": "0",
        "numbers": "(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {lines})"
        " SELECT n FROM c)",
    },
    "postgres": {
        "uuid": "(lpad(to_hex({session}), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid",
        "now": "now()",
        "true": "true",
        "false": "false",
        "numbers": "generate_series(1, {lines}) AS c(n)",
    },
}


def seed(kind: str, full: dict[str, str], sizes: list[int]) -> None:
    printed = manage(full, "shell", "--verbosity", "0", "-c", SEED.format(sizes=sizes))
    for session, lines in zip(printed.split(), sizes, strict=True):
        words = {name: text.format(session=session, lines=lines) for name, text in DIALECTS[kind].items()}
        statements = [text.format(session=session, **words) for text in (REQUESTS, ITEMS)]
        code = "from django.db import connection\nwith connection.cursor() as c:\n" + "".join(
            f"    c.execute({statement!r})\n" for statement in statements
        )
        manage(full, "shell", "--verbosity", "0", "-c", code)
    analyze = "from django.db import connection\nwith connection.cursor() as c:\n    c.execute('ANALYZE')\n"
    manage(full, "shell", "--verbosity", "0", "-c", analyze)


def questions(key: str, lines: int) -> dict[str, tuple[bytes, str]]:
    address = f"bench.lines{lines}"
    items = f"/api/sessions/{address}/items"
    return {
        "read": (call("POST", f"/api/flows/mailbox/{address}/actions/read", key, {}), "202"),
        "first page of items": (call("GET", f"{items}?limit=50", key), "200"),
        "page in the middle": (call("GET", f"{items}?after={lines // 2}&limit=50", key), "200"),
        "newest page": (call("GET", f"{items}?before={lines + 1}&limit=50", key), "200"),
    }


def measure(kind: str, options: argparse.Namespace) -> None:
    sizes = [SMALL, options.lines]
    with database(kind) as url:
        full = environment(url)
        manage(full, "migrate", "--verbosity", "0")
        manage(full, "organization", "create", "default")
        words = ["--user", "bench", "--grant", "flows:read", "--grant", "flows:write", "--format", "json"]
        key: str = json.loads(manage(full, "actor", "add", "bench-agent", *words))["key"]
        seed(kind, full, sizes)
        with server(full, "--no-worker") as port:
            asked: list[Any] = [questions(key, lines) for lines in sizes]
            for name in asked[0]:
                report(kind, name, port, [one[name] for one in asked], options)


def report(
    kind: str, name: str, port: int, calls: list[tuple[bytes, str]], options: argparse.Namespace
) -> None:
    pairs = []
    for _ in range(options.rounds + 1):
        pairs.append(
            [
                rate(port, question, connections=1, seconds=options.seconds, wanted=wanted)
                for question, wanted in calls
            ]
        )
    pairs = pairs[1:]
    ratios = [small / large for small, large in pairs]
    print(
        f"{kind:9} {name:20} {median([p[0] for p in pairs]):8.0f} {median([p[1] for p in pairs]):8.0f}  "
        f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgres"])
    options = parser.parse_args()
    print(f"database  what                  1,000/s  {options.lines:,}/s  ratio (min–max)")
    for kind in options.databases:
        measure(kind, options)


if __name__ == "__main__":
    main()
