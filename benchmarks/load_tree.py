"""Measure load_workforce on a large tree, side by side with only reading and YAML-parsing the same files.

    python benchmarks/load_tree.py [--mailboxes 10000] [--workers 2000] [--database URL]

Prints seconds and, for each measure, its ratio to the baseline of the same run. Without ``--database`` the load goes
into a fresh SQLite file; with it, into that database, which must be migrated and empty.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
PER_TEAM = 50

MAILBOX = """---
description: Questions about subject {number}, from everybody who has one.
members: [{members}]
routing:
  fallback: {fallback}
boards: [followups]
boardActions: true
---
You answer questions about subject {number}, one at a time. What you write is read by the customer.

Keep an answer under 120 words. End with the one thing the customer should do next.
"""
WORKER = """---
description: >-
  Knows subject {number}: what it is, how it is mended, and who has to be told about it.
drains: [{board}]
concurrency: 2
tools: [read-document, post-to-mailbox]
---
You know subject {number}. Say what is known, and what is not.

A finding has four lines: what happened, since when, why, and how we would notice it next time.
"""

IN_PROCESS = """
import json, sys, time
import django
django.setup()
from django.core.management import call_command
from io import StringIO
out = StringIO()
started, cpu = time.perf_counter(), time.process_time()
call_command("load_workforce", sys.argv[1], format="json", stdout=out)
print(time.perf_counter() - started, time.process_time() - cpu, file=sys.stderr)
report = json.loads(out.getvalue())
print({key: len(value) for key, value in report.items()}, file=sys.stderr)
"""


def write_tree(root: Path, mailboxes: int, workers: int) -> None:
    """Teams of fifty mailboxes; the workers are spread over the teams."""
    teams = -(-mailboxes // PER_TEAM)
    per_team = -(-workers // teams)
    for team in range(teams):
        base = root / "teams" / f"team-{team}"
        names = [f"worker-{number}" for number in range(min(per_team, workers - team * per_team))]
        boxes = range(min(PER_TEAM, mailboxes - team * PER_TEAM))
        ids = [f"team-{team}.{name}" for name in names]
        for number, name in enumerate(names):
            board = f"team-{team}.box-{number % len(boxes)}.followups"
            write(base / "workers" / name / "WORKER.md", WORKER.format(number=number, board=board))
        for number in boxes:
            text = MAILBOX.format(number=number, members=", ".join(ids[:4]), fallback=ids[0])
            write(base / "mailboxes" / f"box-{number}" / "MAILBOX.md", text)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Cost:
    """What one measure took: seconds on the clock, and of the processor, which other processes disturb less."""

    wall: float
    cpu: float
    more: str = ""


def baseline(root: Path) -> Cost:
    """What it costs to read the same files and to parse their frontmatter with PyYAML's fast loader, nothing else."""
    started, cpu = time.perf_counter(), time.process_time()
    count = 0
    for path in root.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        yaml.load(text.split("---\n", 2)[1], Loader=yaml.CSafeLoader)
        count += 1
    assert count, "the tree is empty"
    return Cost(time.perf_counter() - started, time.process_time() - cpu)


def load(root: Path, environment: dict[str, str], *, whole: bool) -> Cost:
    """One load in a process of its own: ``whole`` counts its start and its peak of memory too."""
    command = ["manage.py", "load_workforce", str(root)] if whole else ["-c", IN_PROCESS, str(root)]
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    words = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if status:
        sys.exit(f"the load failed: {words}")
    if whole:
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024
        return Cost(wall, usage.ru_utime + usage.ru_stime, f"peak {usage.ru_maxrss / unit:.0f} MB")
    clocks, _, counts = words.partition("\n")
    inside, cpu = map(float, clocks.split())
    return Cost(inside, cpu, counts.strip())


def show(name: str, cost: Cost, base: Cost) -> None:
    print(
        f"{name:<47}{cost.wall:7.2f} s {cost.wall / base.wall:6.2f} x   "
        f"cpu {cost.cpu:7.2f} s {cost.cpu / base.cpu:6.2f} x   {cost.more}",
        flush=True,
    )


def measure(root: Path, folder: Path, url: str | None) -> None:
    base = min((baseline(root) for _ in range(3)), key=lambda cost: cost.wall)
    show("(a) read and YAML-parse the files, best of 3", base, base)
    for whole in (True, False):
        environment = {
            **os.environ,
            "DEBUG": "0",
            "SECRET_KEY": "benchmark",
            "WORKFORCE_AUTH": "open",
            "DATABASE_URL": url or f"sqlite:///{folder}/fresh-{whole}.sqlite3",
            "DJANGO_SETTINGS_MODULE": "workforce_site.settings",
        }
        if url is None:
            migrate = [sys.executable, "manage.py", "migrate", "-v0", "--skip-checks"]
            subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
        how = "manage.py" if whole else "in process"
        if url is None or whole:
            show(f"(b) first load, {how}", load(root, environment, whole=whole), base)
        show(f"(c) second load, nothing changed, {how}", load(root, environment, whole=whole), base)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mailboxes", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2_000)
    parser.add_argument("--database", metavar="URL")
    options = parser.parse_args()
    print(
        f"{options.mailboxes} mailboxes, {options.workers} workers; Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {platform.platform()}"
    )
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "tree"
        write_tree(root, options.mailboxes, options.workers)
        measure(root, Path(name), options.database)


if __name__ == "__main__":
    main()
