"""How often the offline evaluator finds the member whose job a post is, and rightly says none.

Run: python -m benchmarks.routing [--posts]. The posts are those of routing_posts.yaml. A post that belongs to
nobody is right when the answer is none; one that belongs to a member and is given to none goes to the fallback
(safe), one that is given to another member is wrong. "Without a threshold" always takes the best member.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")

NONE = "none"
THRESHOLDS = [0.0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.18, 0.2, 0.25, 0.3]


@dataclass(frozen=True)
class Case:
    """One post: where it was made, whom it belongs to, and what an evaluator is asked."""

    mailbox: str
    wants: str
    question: object


@dataclass(frozen=True)
class Scored:
    """A case with the best member and its score."""

    case: Case
    best: str
    score: float

    def answer(self, threshold: float) -> str:
        return self.best if self.score >= threshold else NONE


def cases() -> Iterator[Case]:
    """The posts of the file."""
    from mailboxes.evaluators.base import Question

    text = Path(__file__).with_name("routing_posts.yaml").read_text()
    for mailbox in yaml.safe_load(text):
        for post in mailbox["posts"]:
            question = Question(
                post={"from": "somebody", "text": post["text"]},
                recent=post.get("recent", []),
                choices=mailbox["members"],
            )
            yield Case(mailbox["mailbox"], post["wants"], question)


def scored(scorer: Callable[..., Mapping[str, float]]) -> tuple[list[Scored], float]:
    """Every case with its best member, and the median time of one in milliseconds."""
    found, times = [], []
    for case in cases():
        started = time.perf_counter()
        scores = scorer(case.question)
        times.append((time.perf_counter() - started) * 1000)
        best = max(scores, key=lambda member: scores[member])
        found.append(Scored(case, best, scores[best]))
    return found, statistics.median(times)


def report(name: str, rows: list[Scored], threshold: float, milliseconds: float) -> None:
    """Accuracy at the threshold in use, the confusion of each mailbox, and the other thresholds."""
    mine = [row for row in rows if row.case.wants != NONE]
    nobodys = [row for row in rows if row.case.wants == NONE]
    print(f"\n{name}: threshold {threshold}, {milliseconds:.2f} ms a post (median)")
    print(f"  without a threshold: {count(mine, 0.0)} of {len(mine)} posts of members to the right one")
    print("  threshold  right/60  member right  to none  member wrong  rightly none")
    for at in sorted({*THRESHOLDS, threshold}):
        right, none_said = count(mine, at), sum(row.answer(at) == NONE for row in mine)
        print(
            f"  {at:9.2f}{'*' if at == threshold else ' '} {count(rows, at):8} {right:8}/{len(mine)} {none_said:8} "
            f"{len(mine) - right - none_said:13} {count(nobodys, at):10}/{len(nobodys)}"
        )
    print("  wrong at the threshold (wanted → answered):")
    wrong = Counter(
        (row.case.mailbox, row.case.wants, row.answer(threshold))
        for row in rows
        if row.answer(threshold) != row.case.wants
    )
    for (mailbox, wants, answered), number in sorted(wrong.items()):
        print(f"    {mailbox:22} {wants:14} → {answered:14} {number}")


def count(rows: list[Scored], threshold: float) -> int:
    """How many are right."""
    return sum(row.answer(threshold) == row.case.wants for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--posts", action="store_true", help="list every post with its score")
    options = parser.parse_args()
    import django

    django.setup()
    from mailboxes.evaluators import offline

    offline.load_vectors()
    for name, scorer, threshold in (
        ("wordllama", offline.score_by_vectors, offline.ALIKE),
        ("shared words", offline.score_by_words, offline.SHARED),
    ):
        rows, milliseconds = scored(scorer)
        report(name, rows, threshold, milliseconds)
        if options.posts:
            for row in rows:
                print(
                    f"    {row.score:.3f} {row.case.wants:14} → {row.best:14} {row.case.question.post['text']}"
                )


if __name__ == "__main__":
    main()
