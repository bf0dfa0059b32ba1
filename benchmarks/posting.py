"""`post` against a minimal DRF view that authenticates a key and inserts one row, under the same server.

Run: python -m benchmarks.posting [--rounds 5] [--seconds 3]. Rounds alternate, so that a slow moment of the
machine meets both; the ratio is the baseline's rate divided by the post's (how many times its cost).
"""

from __future__ import annotations

import argparse
import json

from benchmarks.serving import call, database, environment, manage, median, rate, server

MEMBERS = {0: "quiet", 4: "team"}
SEED = """
import sys
from mailboxes.state import opening_state
from workforce.models import Organization, Seat, Session, User
organization = Organization.objects.get(slug="default")
owner = User.objects.get(username="bench")
for number, name in {0: "quiet", 4: "team"}.items():
    members = [f"bench.seat{n}" for n in range(number)]
    Session.objects.create(organization=organization, owner=owner, kind="mailbox", address=f"bench.{name}",
        state=opening_state(members=members, charter=""))
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgres"])
    options = parser.parse_args()
    print("database  connections  members  baseline/s  post/s  ratio (min–max)")
    for kind in options.databases:
        with database(kind) as url:
            measure(kind, url, options)


def measure(kind: str, url: str, options: argparse.Namespace) -> None:
    bare = environment(url, "benchmarks.baseline.settings")
    full = environment(url)
    manage(bare, "migrate", "--run-syncdb", "--verbosity", "0")
    manage(full, "organization", "create", "default")
    made = manage(
        full, "actor", "add", "bench-agent", "--user", "bench", "--grant", "flows:write", "--format", "json"
    )
    key = json.loads(made)["key"]
    manage(full, "shell", "--verbosity", "0", "-c", SEED)
    insert = call("POST", "/api/insert", key, {"mailbox": "bench.quiet", "body": "How do I pair my phone?"})
    with server(bare, "--no-worker") as bare_port, server(full, "--no-worker") as full_port:
        for connections in (1, 16):
            for members, name in MEMBERS.items():
                post = call(
                    "POST",
                    f"/api/flows/mailbox/bench.{name}/actions/post",
                    key,
                    {"input": {"body": "How do I pair my phone?"}},
                )
                pairs = []
                for _ in range(options.rounds + 1):
                    base = rate(
                        bare_port, insert, connections=connections, seconds=options.seconds, wanted="201"
                    )
                    ours = rate(
                        full_port, post, connections=connections, seconds=options.seconds, wanted="202"
                    )
                    pairs.append((base, ours))
                pairs = pairs[1:]  # the first round warms both up
                ratios = [base / ours for base, ours in pairs]
                print(
                    f"{kind:9} {connections:11} {members:8} {median([b for b, _ in pairs]):11.0f} "
                    f"{median([o for _, o in pairs]):7.0f}  {median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
                    flush=True,
                )


if __name__ == "__main__":
    main()
