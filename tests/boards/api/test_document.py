"""What boards answer is what the OpenAPI document says; the views' own words are in its snapshot."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from boards.models import Task
from tests.boards.api.conftest import DETAIL, LISTED, WORKED, Desk, done
from workforce.api.document import openapi_document

SCHEMAS = {"TaskAnswer": LISTED | {"revision"}, "WorkedTask": WORKED | {"revision"}, "TaskDetail": DETAIL}
#: What no answer of a list or a verb may show.
HIDDEN = {
    "claimedBy",
    "heldBy",
    "leaseUntil",
    "leaseSeconds",
    "ticket",
    "claimNumber",
    "input",
    "output",
    "context",
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


def check(document: dict[str, Any], name: str, value: Any) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    Draft202012Validator(schema).validate(value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas__are_the_allow_lists(document: dict[str, Any], name: str) -> None:
    schema = document["components"]["schemas"][name]
    assert set(schema["properties"]) == SCHEMAS[name]
    assert schema["additionalProperties"] is False
    assert not HIDDEN & set(document["components"]["schemas"]["TaskAnswer"]["properties"])


def test_answers__are_as_the_document_says(document: dict[str, Any], desk: Desk) -> None:
    dep = desk.row_in("completed")
    task = desk.file(
        "x", title="t", context="c", assignee="a", priority=1, maxAttempts=2, labels=["l"], deps=[dep],
        input=[None],
    )["id"]  # fmt: skip
    taken = done(desk.player.api.post(f"{desk.path}/claim", {"worker": "wren"}))
    check(document, "ClaimAnswer", taken)
    Task.objects.filter(task_id=task).update(
        run={"sessionId": "s", "requestId": "r", "attempt": 1}, author="lead", retry_of=dep
    )
    update = done(desk.do(task, "update", {"patch": {"metadata": {"m": 1}, "addLabel": "b"}}))
    check(document, "TaskAnswer", update)
    assert not HIDDEN & set(update)
    for status in ("parked", "blocked", "errored", "cancelled"):
        check(document, "TaskDetail", desk.see(desk.row_in(status)))
    for path, name in {
        "/api/boards": "BoardPage",
        desk.path: "BoardAnswer",
        f"{desk.path}/tasks?limit=2": "TaskPage",
        f"{desk.path}/tasks/{task}": "TaskDetail",
    }.items():
        answer = desk.player.api.get(path)
        check(document, name, done(answer))
        if name == "TaskPage":
            assert not any(HIDDEN & set(row) for row in answer.json()["items"])
