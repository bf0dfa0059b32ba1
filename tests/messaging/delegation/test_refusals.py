"""What ``addTask_tasks`` refuses: each alone and in pairs, where the earlier in the order is told; nothing is filed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pytest

from boards.models import Task
from messaging.delegation.models import FiledTask
from tests.messaging.delegation.offices import Office
from tests.messaging.delegation.tasking import add, codes
from workforce.models import Request, Session


@dataclass(frozen=True, slots=True)
class Case:
    """One reason for a refusal: what is asked, or what is so beforehand."""

    code: str
    #: What the case is about; two about the same cannot both be.
    about: str
    asked: dict[str, Any] = field(default_factory=dict)
    prepare: Callable[[], object] = lambda: None


def fill() -> None:
    """The conversation's task stands at the end of a chain as deep as one may be."""
    FiledTask.objects.update(depth=5)


#: In the order in which they are checked.
CASES = [
    Case("task_not_found", "follow", {"followUpOf": "task_none"}),
    Case("follow_up_of_unfinished", "follow", {"followUpOf": "<waiting>"}),
    Case("unknown_assignee", "assignee", {"assignee": "nobody"}),
    Case("total_task_cap_exceeded", "cap", {}, fill),
    Case("unknown_dependency", "deps", {"deps": ["task_none"]}),
]
#: What follows up takes no assignee, which is told before anything else about it.
PAIRS = [
    (first, second)
    for first, second in combinations(CASES, 2)
    if first.about != second.about and {first.about, second.about} != {"follow", "assignee"}
]


def name_of(case: Case) -> str:
    return case.code


@pytest.fixture
def inner(office: Office) -> Session:
    """The session of a task, whose worker has a delegate of its own, and a row that waits there."""
    office.hire("clerk")
    office.hire("scout", delegates=["clerk"])
    talk = office.lead("", "scout", kind="agent")
    office.script("lead", add("Above."), "Filed.", "Thanks.")
    office.script("scout", add("Waiting."), "Filed.")
    office.run(office.say(talk, run=False))
    from boards.drains.draining import drain_boards

    drain_boards()
    office.run(Request.objects.get(action="work"))
    return Session.objects.get(parent=talk, seat__seat_id="scout")


def ask(office: Office, inner: Session, **asked: Any) -> str:
    """What the tool answers when the worker files in the session of its task; its code."""
    waiting = Task.objects.get(goal="Waiting.").task_id
    given = {name: waiting if value == "<waiting>" else value for name, value in asked.items()}
    office.script("scout", *[""] * len(office.asked["scout"]), add("More.", **given), "Done.")
    office.run(office.say(inner, run=False))
    return codes(inner, "addTask")[-1]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_refusal__alone(case: Case, office: Office, inner: Session) -> None:
    case.prepare()
    before = (Task.objects.count(), list(FiledTask.objects.order_by("pk").values_list("under", flat=True)))
    assert ask(office, inner, **case.asked) == case.code
    after = (Task.objects.count(), list(FiledTask.objects.order_by("pk").values_list("under", flat=True)))
    assert after == before


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].code}+{pair[1].code}")
def test_refusals__in_pairs_the_earlier_one_is_told(
    pair: tuple[Case, Case], office: Office, inner: Session
) -> None:
    for case in pair:
        case.prepare()
    before = Task.objects.count()
    assert ask(office, inner, **pair[0].asked, **pair[1].asked) == pair[0].code
    assert Task.objects.count() == before


@pytest.mark.parametrize("follow", ["task_none", "<waiting>"])
def test_follow_up__with_an_assignee_is_told_first(follow: str, office: Office, inner: Session) -> None:
    assert ask(office, inner, followUpOf=follow, assignee="nobody") == "follow_up_takes_no_assignee"
