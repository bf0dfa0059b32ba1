"""Who may open a board's pages and press what is on them."""

from __future__ import annotations

import pytest
from django.test import Client

from boards.admin.acts import ACTS
from boards.models import Task
from boards.transitions import Status
from tests.boards.admin.conftest import board_path, press, task_path
from tests.boards.ledgers import Ledger, unwritten
from tests.workforce.admin.conftest import Login, World

GET_PATHS = ["board/{board}/change/", "board/{board}/file/", "task/{task}/change/", "task/{task}/cancel/"]
POSTS = [
    "board/{board}/file/",
    "board/{board}/bulk/",
    "task/{task}/edit/",
    *(f"task/{{task}}/{act.name}/" for act in ACTS),
]


def filled(path: str, task: Task) -> str:
    return "/admin/boards/" + path.format(board=task.board_id, task=task.pk)


@pytest.mark.parametrize("who", ["operator", "owner", "superuser"])
@pytest.mark.parametrize("path", GET_PATHS)
def test_page__those_who_run_the_organization_open_it(
    login: Login, ledger: Ledger, path: str, who: str
) -> None:
    assert login(who).get(filled(path, ledger.file())).status_code == 200


@pytest.mark.parametrize("path", GET_PATHS)
@pytest.mark.parametrize(("who", "staff"), [(None, True), ("member", True), ("owner", False)])
def test_page__others_do_not(login: Login, ledger: Ledger, path: str, who: str | None, staff: bool) -> None:
    answer = login(who, staff=staff).get(filled(path, ledger.file()))
    assert answer.status_code == (403 if staff else 302)


@pytest.mark.parametrize("path", POSTS)
def test_press__anothers_row_is_not_there(login: Login, world: World, elsewhere: World, path: str) -> None:
    row = elsewhere.rows["boards.task"]
    with unwritten():
        answer = login("owner").post(filled(path, row), {"revision": 1, "goal": "Do it."})
    assert answer.status_code == 404


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(("who", "staff"), [(None, True), ("member", True), ("owner", False)])
def test_press__needs_the_role(login: Login, ledger: Ledger, path: str, who: str | None, staff: bool) -> None:
    task = ledger.file()
    with unwritten():
        answer = login(who, staff=staff).post(filled(path, task), {"revision": 1, "goal": "Do it."})
    assert answer.status_code == (403 if staff else 302)


@pytest.mark.parametrize("path", POSTS)
def test_press__needs_the_token(login: Login, ledger: Ledger, path: str) -> None:
    task = ledger.file()
    with unwritten():
        answer = login("operator", enforce_csrf_checks=True).post(filled(path, task), {"revision": 1})
    assert answer.status_code == 403


def test_press__leads_to_no_other_site(operator: Client, ledger: Ledger) -> None:
    for back in ("https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"):
        task = ledger.file()
        answer = press(operator, task, "cancel", back=back)
        assert answer["Location"] == task_path(task)
        assert ledger.see(task).status == Status.CANCELLED
    assert operator.post(board_path(ledger, "bulk/"), {"back": "//evil.example"})["Location"] == board_path(
        ledger
    )


def test_pages__take_no_other_post(superuser: Client, ledger: Ledger) -> None:
    task = ledger.file()
    assert superuser.post(board_path(ledger)).status_code == 405
    assert superuser.post(task_path(task)).status_code == 405
    assert superuser.get(board_path(ledger, "bulk/")).status_code == 302
