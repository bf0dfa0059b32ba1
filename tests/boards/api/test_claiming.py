"""Taking rows over REST, and what a claim that found nothing waits for."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Task
from boards.selectors.waiting import COUNTED_ROWS, read_ready
from tests.boards.api.conftest import LONG_AGO, WORKED, Desk, done, make_board
from tests.clients import problem
from tests.conftest import Player
from workforce import clock
from workforce.models import IdempotencyRecord
from workforce.selectors.versions import versions_of
from workforce.waits import WAIT_FOR, read_watch_header


def claimed(desk: Desk, query: str = "", **body: Any) -> Any:
    headers = {name: body.pop(name) for name in list(body) if name[0].isupper()}
    return desk.player.api.post(f"{desk.path}/claim{query}", {"worker": "wren", **body}, **headers)


def test_claim__answers_the_row_with_what_its_worker_needs(desk: Desk) -> None:
    task = desk.file("Do.", context="Here.", input={"a": 1}, labels=["x"])["id"]
    answer = claimed(desk)
    body = done(answer)
    assert set(body) == {"task", "ticket"}
    assert set(body["task"]) <= WORKED | {"revision"}
    row = body["task"]
    assert (row["id"], row["status"], row["attempts"], row["revision"]) == (task, "in_progress", 1, 2)
    assert (row["context"], row["input"]) == ("Here.", {"a": 1})
    assert answer["ETag"] == '"2"'
    seen = desk.see(task)
    assert (seen["heldBy"], seen["startedAt"]) == ("wren", row["startedAt"])
    assert 100_000 < seen["leaseUntil"] - row["startedAt"] < 130_000


def test_claim__by_priority_age_and_id(desk: Desk) -> None:
    for goal, priority in (("c", None), ("a", 5), ("d", -1), ("b", 5)):
        desk.file(goal, priority=priority)
    assert [desk.claim()[0]["goal"] for _ in range(4)] == ["a", "b", "c", "d"]


def test_claim__for_some_rows_only(desk: Desk) -> None:
    desk.file("other", assignee="robin", labels=["out"])
    desk.file("half", labels=["out"])
    desk.file("mine", assignee="wren", labels=["out", "dirty"])
    assert claimed(desk, assignee="nobody").status_code == 204
    assert claimed(desk, labels=["out", "clean"]).status_code == 204
    assert desk.claim(labels=["dirty", "out", "dirty"])[0]["goal"] == "mine"
    assert desk.claim(assignee="robin")[0]["goal"] == "other"


def test_claim__when_nothing_is_ready(desk: Desk, unwritten: Any) -> None:
    blocked, held = desk.row_in("blocked"), desk.row_in("in_progress")
    desk.file(deps=[blocked])
    assert held
    with unwritten():
        answer = claimed(desk)
    assert (answer.status_code, answer.content) == (204, b"")
    assert "ETag" not in answer and WAIT_FOR not in answer


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"worker": ""}, "worker"),
        ({"worker": None}, "worker"),
        ({"worker": "x" * 131}, "worker"),
        ({"leaseSeconds": 0}, "leaseSeconds"),
        ({"leaseSeconds": 86_401}, "leaseSeconds"),
        ({"leaseSeconds": 10**30}, "leaseSeconds"),
        ({"leaseSeconds": "120"}, "leaseSeconds"),
        ({"leaseSeconds": 1.5}, "leaseSeconds"),
        ({"assignee": " "}, "assignee"),
        ({"labels": "x"}, "labels"),
        ({"wait": 5}, "wait"),
        ({"leaseSecond": 5}, "leaseSecond"),
    ],
)
def test_claim__bad_input_is_named(desk: Desk, unwritten: Any, body: dict[str, Any], path: str) -> None:
    desk.file()
    with unwritten():
        answer = claimed(desk, **body)
    assert path in [entry["path"] for entry in problem(answer, 400, "invalid-input")["errors"]]


@pytest.mark.parametrize("wait", ["61", "-1", "x", "", "1.5", "1&wait=2", "99999999999999999999"])
def test_claim__a_wait_out_of_range(desk: Desk, unwritten: Any, wait: str) -> None:
    desk.file()
    with unwritten():
        problem(claimed(desk, f"?wait={wait}"), 400, "invalid-input", "wait")


def test_claim__takes_no_if_match(desk: Desk, unwritten: Any) -> None:
    desk.file()
    with unwritten():
        problem(claimed(desk, If_Match='"1"'), 400, "invalid-input", "If-Match")


def test_claim__a_lapsed_row_is_taken_back(desk: Desk) -> None:
    task = desk.row_in("in_progress")
    desk.lapse(task)
    row, _ = desk.claim("robin")
    assert (row["id"], row["attempts"]) == (task, 2)
    assert (desk.see(task)["abandonments"], desk.see(task)["heldBy"]) == (1, "robin")


class TestOnce:
    def test_claim__repeated_after_a_lost_answer_is_the_same_row_and_ticket(self, desk: Desk) -> None:
        desk.file(), desk.file()
        answers = [claimed(desk, query, Idempotency_Key="k") for query in ("", "?wait=5", "")]
        assert len({(answer.status_code, answer.content, answer["ETag"]) for answer in answers}) == 1
        assert Task.objects.filter(status="in_progress").count() == 1
        ticket = answers[2].json()["ticket"]
        done(desk.do(answers[0].json()["task"]["id"], "complete", {"output": 1, "ticket": ticket}))

    def test_claim__another_key_or_body_is_another_call(self, desk: Desk) -> None:
        desk.file(), desk.file()
        first, second = (done(claimed(desk, Idempotency_Key=key)) for key in "kl")
        assert first["task"]["id"] != second["task"]["id"]
        problem(claimed(desk, worker="robin", Idempotency_Key="k"), 409, "idempotency-key-reused")

    def test_claim__nothing_ready_is_not_kept(self, desk: Desk, unwritten: Any) -> None:
        with unwritten():
            for query in ("", "?wait=9"):
                assert claimed(desk, query, Idempotency_Key="k").status_code == 204
        task = desk.file()["id"]
        assert done(claimed(desk, Idempotency_Key="k"))["task"]["id"] == task
        assert IdempotencyRecord.objects.count() == 1

    def test_claim__a_refusal_is_kept_as_ever(self, desk: Desk) -> None:
        """Only what a view calls passing is not."""
        task = desk.file()["id"]
        problem(desk.do(task, "unblock", Idempotency_Key="k"), 409, "illegal_status_transition")
        done(desk.do(task, "block"))
        problem(desk.do(task, "unblock", Idempotency_Key="k"), 409, "illegal_status_transition")


class TestWaiting:
    def watched(self, desk: Desk, **body: Any) -> str:
        """The topic that such a claim waits for."""
        answer = claimed(desk, "?wait=5", **body)
        assert answer.status_code == 204
        topics, resume = read_watch_header(answer[WAIT_FOR])
        assert resume
        (topic,) = (topic for topic in topics if topic.startswith("ready:"))
        assert topics == {topic: "0", f"key:{desk.player.caller.key_id}": "ok"}
        return topic

    def ready(self, topic: str) -> int:
        return int(versions_of([topic])[topic])

    def test_wait__only_in_the_query(self, desk: Desk) -> None:
        assert WAIT_FOR not in claimed(desk)
        assert WAIT_FOR not in claimed(desk, "?wait=0")
        assert WAIT_FOR not in claimed(desk, Prefer="wait=30")
        desk.file()
        assert WAIT_FOR not in claimed(desk, "?wait=5")

    def test_wait__is_over_when_a_row_becomes_ready(self, desk: Desk) -> None:
        """However it does: filed, unblocked, released, answered, retried, lapsed, or its deps completed."""
        topic = self.watched(desk)
        task = desk.file(maxAttempts=9)["id"]
        assert self.ready(topic) == 1

        def taken() -> str:
            _, ticket = desk.claim()
            assert self.ready(topic) == 0
            return ticket

        for verb, body in (("release", {}), ("fail", {"error": "x"})):
            done(desk.do(task, verb, {**body, "ticket": taken()}))
            assert self.ready(topic) == 1
        done(desk.do(task, "park", {"question": "?", "ticket": taken()}))
        done(desk.do(task, "answer", {"answer": "!"}))
        assert self.ready(topic) == 1
        done(desk.do(task, "block"))
        assert self.ready(topic) == 0
        done(desk.do(task, "unblock"))
        assert self.ready(topic) == 1
        taken()
        desk.lapse(task)
        assert self.ready(topic) == 1
        ticket = taken()
        desk.file("dependent", deps=[task])
        assert self.ready(topic) == 0
        done(desk.do(task, "complete", {"output": 1, "ticket": ticket}))
        assert self.ready(topic) == 1

    def test_wait__is_over_for_its_own_rows_only(self, desk: Desk) -> None:
        elsewhere = Desk(make_board(desk.player.organization, "x.y.z"), desk.player)
        topics = {
            "any": self.watched(desk),
            "wren": self.watched(desk, assignee="wren"),
            "a": self.watched(desk, labels=["a"]),
            "ab": self.watched(desk, labels=["b", "a", "b"]),
            "wren-a": self.watched(desk, labels=["a"], assignee="wren"),
            "elsewhere": self.watched(elsewhere),
        }
        assert topics["ab"] == self.watched(desk, labels=["a", "b"])

        def ready() -> dict[str, str]:
            found = versions_of(topics.values())
            return {name: found[topic] for name, topic in topics.items() if found[topic] != "0"}

        assert ready() == {}
        desk.file(labels=["b"])
        assert ready() == {"any": "1"}
        desk.file(labels=["a"], assignee="robin")
        assert ready() == {"any": "2", "a": "1"}
        desk.file(assignee="wren")
        assert ready() == {"any": "3", "a": "1", "wren": "1"}
        desk.file(labels=["a", "b", "c"], assignee="wren")
        assert ready() == {"any": "4", "a": "2", "ab": "1", "wren": "2", "wren-a": "1"}

    def test_wait__finds_a_row_behind_many_others(
        self, desk: Desk, django_assert_max_num_queries: Any
    ) -> None:
        topics = [self.watched(desk, assignee=name) for name in ("wren", "robin", "nobody")]
        row = Task.objects.get(task_id=desk.file(assignee="robin")["id"])
        for number in range(250):
            row.pk, row.task_id = None, f"task_{number}"
            row.save(force_insert=True)
        assert [self.ready(topic) for topic in topics] == [0, COUNTED_ROWS, 0]
        desk.file(assignee="wren")
        with django_assert_max_num_queries(3):
            found = versions_of(topics)
        assert [found[topic] for topic in topics] == ["1", str(COUNTED_ROWS), "0"]
        Task.objects.exclude(assignee="wren").update(status="in_progress", lease_until=LONG_AGO)
        Task.objects.filter(assignee="wren").update(status="in_progress", lease_until=clock.now())
        assert [self.ready(topic) for topic in topics] == [1, COUNTED_ROWS, 0]

    def test_reader__asks_a_query_or_two_however_many_wait(
        self, desk: Desk, django_assert_max_num_queries: Any
    ) -> None:
        keys = [self.watched(desk, assignee=f"w{number}").partition(":")[2] for number in range(90)]
        with django_assert_max_num_queries(2):
            assert set(read_ready(keys).values()) == {"0"}
        desk.file(assignee="w7")
        with django_assert_max_num_queries(2):
            found = read_ready(keys)
        assert [number for number, key in enumerate(keys) if found[key] == "1"] == [7]

    def test_reader__a_board_that_is_gone_is_ready_for_nobody(self, desk: Desk) -> None:
        topic = self.watched(desk)
        desk.board.delete()
        assert self.ready(topic) == 0

    def test_wait__counts_once_against_the_rate(self, desk: Desk, settings: Any, stranger: Player) -> None:
        """The server runs a waiting claim again and again: that is one write of its caller."""
        settings.WRITE_RATE = "2/min"
        again = {"X_Workforce_Resume": "claim"}
        theirs = desk.as_(stranger)
        codes = [claimed(theirs, "?wait=5", **again).status_code for _ in range(5)]
        assert codes == [204] * 5
        codes = [claimed(theirs, "?wait=5").status_code for _ in range(3)]
        assert codes == [204, 204, 429]
