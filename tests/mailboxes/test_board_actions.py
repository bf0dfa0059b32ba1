"""What stands on a mailbox's boards, through the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from boards.models import Board, BoardWorker, Task
from boards.services.settling import complete_task
from boards.toolnames import BOARD_TOOLS
from tests.boards.ledgers import ADA, make_board
from tests.clients import problem
from tests.conftest import Mailbox, Player, make_player
from tests.mailboxes.services.test_posting import declare_template
from workforce.models import IdempotencyRecord, Request, Session

HOLDS = Callable[..., Board]


@pytest.fixture
def holds(mailbox: Mailbox, owner: Player) -> HOLDS:
    """Opens ``support.help`` with a board ``todo`` and a member, or another mailbox with another board."""

    def hold(board_id: str = "support.help.todo", **fields: Any) -> Board:
        address = board_id.rpartition(".")[0]
        if not Session.objects.filter(address=address).exists():
            mailbox(address, members=["support.lead"])
        return make_board(owner.organization, board_id, **fields)

    return hold


def file(player: Player, address: str = "support.help", **input: Any) -> dict[str, Any]:
    answer = player.api.act(address, "fileTask", {"board": "todo", "goal": "Mend it.", **input})
    assert answer.status_code == 200, answer.content
    output: dict[str, Any] = answer.json()["output"]
    return output


def test_file__what_it_answers_and_writes(owner: Player, holds: HOLDS) -> None:
    holds()
    dep = file(owner)["taskId"]
    output = file(
        owner, title="Mend", context="It beeps.", assignee="wren", priority=2, maxAttempts=3, labels=["a"],
        deps=[dep], input={"n": 1}, author="support.lead",
    )  # fmt: skip
    assert list(output) == ["board", "boardId", "taskId", "status"]
    assert output == {
        "board": "todo",
        "boardId": "support.help.todo",
        "taskId": output["taskId"],
        "status": "pending",
    }
    task = Task.objects.get(task_id=output["taskId"])
    assert (task.title, task.context, task.assignee, task.priority, task.max_attempts) == (
        "Mend",
        "It beeps.",
        "wren",
        2,
        3,
    )
    assert (task.labels, task.input, task.author, task.created_by) == (["a"], {"n": 1}, "support.lead", "ada")
    assert task.events.get().passname == "ada-desk"


def test_file__whether_work_is_started_here_or_not(owner: Player, holds: HOLDS, settings: Any) -> None:
    settings.DISPATCH = "disabled"
    holds()
    assert file(owner)["status"] == "pending"


def test_file__a_repeated_call_files_once(owner: Player, holds: HOLDS) -> None:
    holds()
    answers = [
        owner.api.act("support.help", "fileTask", {"board": "todo", "goal": "x"}, Idempotency_Key="k")
        for _ in range(2)
    ]
    assert answers[0].json()["output"] == answers[1].json()["output"]
    assert Task.objects.count() == IdempotencyRecord.objects.count() == 1


def test_read__every_row_as_a_model_is_shown_it(owner: Player, holds: HOLDS) -> None:
    board = holds()
    first = file(owner, context="It beeps.", input="", author="support.lead")["taskId"]
    second = file(owner, deps=[first], priority=1.5)["taskId"]
    from boards.services.claiming import claim_next

    claimed = claim_next(board=board, worker="wren", by=ADA)
    assert claimed is not None
    complete_task(board=board, task_id=first, by=ADA, output=None, ticket=claimed[1])
    answer = owner.api.act("support.help", "readBoard", {"board": "todo"})
    output = answer.json()["output"]
    assert (output["board"], output["boardId"]) == ("todo", "support.help.todo")
    one, two = output["tasks"]
    assert list(one) == [
        "id", "goal", "status", "attempts", "deps", "labels", "createdAt", "updatedAt", "startedAt", "completedAt",
        "context", "input", "output", "author", "authorVerified",
    ]  # fmt: skip
    assert (one["input"], one["output"], one["author"], one["authorVerified"]) == (
        "",
        None,
        "support.lead",
        False,
    )
    assert (two["id"], two["deps"], two["priority"], "author" in two) == (second, [first], 1.5, False)
    assert "wren" not in answer.content.decode()


def test_read__is_kept_as_a_read(owner: Player, holds: HOLDS) -> None:
    holds()
    owner.api.act("support.help", "readBoard", {"board": "todo"})
    assert Request.objects.get().reads
    reader = make_player(owner.user, owner.organization, "reader", "flows:read")
    assert reader.api.act("support.help", "readBoard", {"board": "todo"}).status_code == 200
    problem(reader.api.act("support.help", "fileTask", {"board": "todo", "goal": "x"}), 403, "not-granted")


ACTIONS: dict[str, dict[str, Any]] = {
    "fileTask": {"board": "todo", "goal": "x"},
    "readBoard": {"board": "todo"},
    "addTask_support_help_todo": {"goal": "x"},
    "listTasks_support_help_todo": {},
}


@pytest.mark.parametrize("action", ACTIONS)
def test_order__template_then_bound_then_no_such_action(
    owner: Player, mailbox: Mailbox, nothing_written: Any, action: str
) -> None:
    with nothing_written(Request=1, Session=1):
        problem(owner.api.act("support.none", action, ACTIONS[action]), 409, "mailbox-not-bound")
    declare_template(owner, "support.room")
    problem(owner.api.act("support.room", action, ACTIONS[action]), 409, "mailbox-is-a-template")
    mailbox("support.help")
    with nothing_written():
        answer = owner.api.act("support.help", action, ACTIONS[action])
    assert problem(answer, 404, "no-such-action")["detail"].endswith("known: post, read")


def test_order__board_then_author_then_assignee_then_deps(
    owner: Player, holds: HOLDS, nothing_written: Any
) -> None:
    board = holds()
    holds("support.help.ideas")
    holds("sales.desk.leads")
    BoardWorker.objects.create(board=board, worker_id="support.wren", key="wren")
    wrong: dict[str, Any] = {
        "goal": "x",
        "board": "leads",
        "author": "nobody",
        "assignee": "robin",
        "deps": ["task_x"],
    }
    for mend, status, code, words in (
        ({}, 422, "board-not-declared", "'ideas', 'todo'"),
        ({"board": "sales.desk.leads"}, 422, "board-not-declared", "'ideas', 'todo'"),
        ({"board": "todo"}, 422, "author-not-a-member", "support.lead"),
        ({"author": "support.lead"}, 422, "unknown_assignee", "wren"),
        ({"assignee": "wren"}, 422, "unknown_dependency", "task_x"),
    ):
        wrong |= mend
        with nothing_written(Request=1):
            problem(owner.api.act("support.help", "fileTask", wrong), status, code, words)
    assert file(owner, **{**wrong, "deps": []})["status"] == "pending"
    assert Request.objects.filter(status="failed").count() == 5


@pytest.mark.parametrize(
    ("input", "path"),
    [
        ({"board": "", "goal": "x"}, "board"),
        ({"board": "todo"}, "goal"),
        ({"board": "todo", "goal": " "}, "goal"),
        ({"board": "todo", "goal": "x", "id": "task_mine"}, "id"),
        ({"board": "todo", "goal": "x", "title": ""}, "title"),
        ({"board": "todo", "goal": "x", "maxAttempts": 0}, "maxAttempts"),
        ({"board": "todo", "goal": "x", "maxAttempts": 1.5}, "maxAttempts"),
        ({"board": "todo", "goal": "x", "labels": ["a" * 65]}, "labels.0"),
        ({"board": "todo", "goal": "x", "labels": [f"l{n}" for n in range(51)]}, "labels"),
        ({"board": "todo", "goal": "x", "context": "x" * 65_537}, "context"),
        ({"board": "todo", "goal": "x", "metadata": {}}, "metadata"),
        ({"board": "todo", "goal": "x", "status": "completed"}, "status"),
    ],
)
def test_file__invalid_input_names_the_field(
    owner: Player, holds: HOLDS, nothing_written: Any, input: dict[str, Any], path: str
) -> None:
    holds()
    with nothing_written():
        answer = problem(owner.api.act("support.help", "fileTask", input), 400, "invalid-input")
    assert [error["path"] for error in answer["errors"]] == [path]


def test_file__not_on_a_board_that_left_the_tree(owner: Player, holds: HOLDS) -> None:
    holds(live=False)
    problem(owner.api.act("support.help", "fileTask", {"board": "todo", "goal": "x"}), 404, "no-such-action")
    holds("support.help.ideas")
    words = problem(
        owner.api.act("support.help", "fileTask", {"board": "todo", "goal": "x"}), 422, "board-not-declared"
    )
    assert words["detail"].endswith("its boards: 'ideas'")


def test_file__into_another_users_mailbox_is_as_into_none(stranger: Player, holds: HOLDS) -> None:
    holds()
    problem(
        stranger.api.act("support.help", "fileTask", {"board": "todo", "goal": "x"}), 404, "session-not-found"
    )


def test_tools__only_with_board_actions(owner: Player, holds: HOLDS, nothing_written: Any) -> None:
    holds()
    for tool in BOARD_TOOLS:
        with nothing_written():
            problem(owner.api.act("support.help", f"{tool}_support_help_todo", {}), 404, "no-such-action")


def test_tools__the_whole_set_in_the_mailboxes_own_session(owner: Player, holds: HOLDS) -> None:
    holds(actions=True)

    def act(tool: str, **input: Any) -> dict[str, Any]:
        answer = owner.api.act("support.help", f"{tool}_support_help_todo", input)
        assert answer.status_code == 200, answer.content
        assert answer.json()["status"] == "completed"
        output: dict[str, Any] = answer.json()["output"]
        return output

    task = act("addTask", goal="Mend it.")["taskId"]
    assert act("assignTask", taskId=task, assignee="wren") == {"ok": True}
    assert act("updateTask", taskId=task, patch={"priority": 3}) == {"ok": True}
    row = {"id": task, "goal": "Mend it.", "status": "pending", "assignee": "wren", "attempts": 0}
    assert act("listTasks") == {"ok": True, "tasks": [row]}
    assert act("blockTask", taskId=task, reason="later") == {"ok": True}
    for tool, more in (("completeTask", {"output": 1}), ("failTask", {"error": "x"})):
        refused = act(tool, taskId=task, **more)
        assert refused["error"].startswith("illegal_status_transition: ")
        assert refused == {"ok": False, "error": refused["error"], "taskId": task}
    assert act("cancelTask", taskId=task) == {"ok": True}
    assert act("cancelTask", taskId="task_x")["error"].startswith("task_not_found: ")
    answer = owner.api.act("support.help", "addTask_support_help_todo", {"goal": ""})
    problem(answer, 400, "invalid-input")
    problem(
        owner.api.act("support.help", "listTasks_support_help_todo", {"cursor": "x"}), 400, "invalid-cursor"
    )
    assert Request.objects.filter(reads=True).count() == 2


def test_tools__no_author_is_checked_nor_taken(owner: Player, holds: HOLDS) -> None:
    holds(actions=True)
    answer = owner.api.act(
        "support.help", "addTask_support_help_todo", {"goal": "x", "author": "support.lead"}
    )
    assert problem(answer, 400, "invalid-input")["errors"][0]["path"] == "author"


def test_tools__refuse_in_another_mailboxes_session(
    owner: Player, holds: HOLDS, nothing_written: Any
) -> None:
    holds(actions=True)
    holds("sales.desk.leads", actions=True)
    for tool, input in (("addTask", {"goal": "x"}), ("listTasks", {})):
        with nothing_written(Request=1):
            answer = owner.api.act("sales.desk", f"{tool}_support_help_todo", input)
            problem(answer, 422, "board-not-declared", "'support.help.todo'", "'leads'")
    problem(owner.api.act("sales.desk", "addTask_support_help_none", {"goal": "x"}), 404, "no-such-action")


def test_tools__a_suffix_stands_for_one_board(owner: Player, holds: HOLDS) -> None:
    holds("support.help.größe", actions=True)
    answer = owner.api.act("support.help", "addTask_support_help_gr__e", {"goal": "x"})
    assert answer.json()["output"]["ok"] is True


def test_tools__the_grants(owner: Player, holds: HOLDS) -> None:
    holds(actions=True)
    reader = make_player(owner.user, owner.organization, "reader", "flows:read")
    assert reader.api.act("support.help", "listTasks_support_help_todo").status_code == 200
    answer = reader.api.act("support.help", "addTask_support_help_todo", {"goal": "x"})
    problem(answer, 403, "not-granted", "flows:write")


def test_flows__list_the_board_actions(owner: Player) -> None:
    kinds = {kind["kind"]: kind for kind in owner.api.get("/api/flows").json()["items"]}
    actions = {action["name"]: action for action in kinds["mailbox"]["actions"]}
    assert list(actions) == ["post", "read", "fileTask", "readBoard"]
    assert actions["readBoard"]["reads"] is True
    assert actions["fileTask"]["inputSchema"]["required"] == ["goal", "board"]


def test_retry__a_failed_filing(owner: Player, holds: HOLDS) -> None:
    board = holds()
    Board.objects.filter(pk=board.pk).update(name="other")
    failed = problem(
        owner.api.act("support.help", "fileTask", {"board": "todo", "goal": "x"}), 422, "board-not-declared"
    )
    Board.objects.filter(pk=board.pk).update(name="todo")
    again = owner.api.post(f"/api/requests/{failed['request']['id']}/retry")
    assert again.status_code == 202, again.content
    assert Task.objects.count() == 1
