"""An operator runs a board in a real browser: file, drag, keys, an illegal drop, two windows, many rows at once."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Task
from boards.services import settling
from boards.transitions import Status
from tests.boards.ledgers import Ledger
from tests.browser.test_admin import CHROMIUM, Watched, browser, log_in, operator, place
from tests.workforce.admin.conftest import World

__all__ = ["browser", "operator", "place"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing; install the package chromium"),
]


@pytest.fixture
def ledger(place: World) -> Ledger:
    Task.objects.all().delete()
    return Ledger(place.rows["boards.board"])


def board_path(ledger: Ledger) -> str:
    return f"/admin/boards/board/{ledger.board.pk}/change/"


def is_phone(browser: Watched) -> bool:
    return bool(browser.page.viewport_size["width"] < 500)


def drag(page: Any, task: Task, column: str) -> None:
    page.drag_and_drop(f"#row-{task.pk} .bd-facts", f".bd-column[data-column={column}] > h2")


def test_board__a_row_is_filed_and_moved(browser: Watched, ledger: Ledger) -> None:
    page = browser.page
    log_in(browser)
    browser.open(board_path(ledger))
    page.click("text=File a row")
    page.fill("[name=goal]", "<b>Read</b> the post.")
    browser.check_width()
    page.click("button:has-text('File the row')")
    page.wait_for_selector(".bd-column[data-column=queued] .bd-card")
    browser.check_width()
    task = Task.objects.get()
    assert page.locator(".bd-name").inner_text() == "<b>Read</b> the post."

    if is_phone(browser):
        page.click(f"#row-{task.pk} .bd-act:has-text('Block')")
    else:
        drag(page, task, "needs")
    page.fill("dialog textarea", "until Monday")
    page.click("dialog .wf-submit")
    page.wait_for_selector(f".bd-column[data-column=needs] #row-{task.pk}")
    assert "until Monday" in page.locator(f"#row-{task.pk}").inner_text()
    assert ledger.see(task).status == Status.BLOCKED

    page.click(f"#row-{task.pk} .bd-name")
    page.wait_for_selector("text=the oldest first")
    browser.check_width()
    page.click(".bd-act:has-text('Unblock')")
    page.click("dialog .wf-submit")
    page.wait_for_selector("text=it is queued again")
    assert ledger.see(task).status == Status.PENDING


def test_board__an_illegal_drop_is_refused(browser: Watched, ledger: Ledger) -> None:
    if is_phone(browser):
        pytest.skip("nothing is dragged on a phone")
    page, task = browser.page, ledger.file()
    log_in(browser)
    browser.open(board_path(ledger))
    box = page.locator(f"#row-{task.pk} .bd-facts").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    target = page.locator(".bd-column[data-column=running]").bounding_box()
    for step in (30, 40, 50):
        page.mouse.move(target["x"] + step, target["y"] + step)
    page.wait_for_selector(".bd-dragging")
    opened = page.eval_on_selector_all(".bd-open", "found => found.map(column => column.dataset.column)")
    assert opened == ["needs", "done"]
    page.mouse.up()
    page.wait_for_selector("text=No move leads to Running for this row.")
    assert page.locator("dialog[open]").count() == 0
    assert page.locator(".bd-dragging").count() == 0
    assert page.locator(f".bd-column[data-column=queued] #row-{task.pk}").count() == 1
    assert ledger.see(task).revision == task.revision


def test_board__keys_walk_and_move(browser: Watched, ledger: Ledger) -> None:
    page = browser.page
    held = ledger.row_in(Status.IN_PROGRESS)
    task = ledger.file()
    log_in(browser)
    browser.open(board_path(ledger))
    page.focus(f"#row-{task.pk}")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == f"row-{held.pk}"
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_selector("dialog .wf-submit:has-text('Take back')")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    assert ledger.see(held).status == Status.IN_PROGRESS
    page.focus(f"#row-{held.pk}")
    page.keyboard.press("Shift+ArrowRight")
    page.click("dialog .bd-choices button:has-text('Complete')")
    page.fill("dialog textarea", '{"found": true}')
    page.click("dialog .wf-submit")
    page.wait_for_selector(f".bd-column[data-column=done] #row-{held.pk}")
    assert ledger.see(held).output == {"found": True}
    page.focus(f"#row-{held.pk}")
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_selector("text=No move leads to the left for this row.")


def test_board__two_windows_change_one_row(browser: Watched, ledger: Ledger) -> None:
    page, task = browser.page, ledger.file(title="Shared")
    log_in(browser)
    browser.open(board_path(ledger))
    context = page.context.browser.new_context(
        viewport=page.viewport_size, storage_state=page.context.storage_state()
    )
    other = context.new_page()
    other.goto(browser.base + board_path(ledger))

    # Both open the form; the second one to press is refused, and what it typed stays.
    page.click(f"#row-{task.pk} .bd-act:has-text('Cancel')")
    page.fill("dialog textarea", "not needed")
    other.click(f"#row-{task.pk} .bd-act:has-text('Block')")
    other.fill("dialog textarea", "later")
    other.click("dialog .wf-submit")
    other.wait_for_selector(f".bd-column[data-column=needs] #row-{task.pk}")
    page.click("dialog .wf-submit")
    page.wait_for_selector("text=It changed meanwhile, and nothing was written")
    assert page.input_value("textarea") == "not needed"
    assert ledger.see(task).status == Status.BLOCKED

    # A board that is older than the row says so when the form opens.
    other.click(f"#row-{task.pk} .bd-act:has-text('Cancel')")
    page.click(".wf-submit:has-text('Cancel')")
    page.wait_for_selector(f".bd-column[data-column=done] #row-{task.pk}")
    other.keyboard.press("Escape")
    other.click(f"#row-{task.pk} .bd-act:has-text('Unblock')")
    other.wait_for_selector("dialog :text('It changed meanwhile.')")
    other.wait_for_selector("dialog :text('does not work on a row that is cancelled')")
    assert ledger.see(task).error == "not needed"
    # The browser itself reports an answer of 412 as an error of the page.
    browser.wrong = [words for words in browser.wrong if "412" not in words]


def test_board__many_rows_at_once(browser: Watched, ledger: Ledger) -> None:
    page = browser.page
    rows = [ledger.file(title=f"Row {number}") for number in range(3)]
    log_in(browser)
    browser.open(board_path(ledger))
    assert not page.is_visible("#bd-bulk")
    for task in rows[:2]:
        page.check(f"#row-{task.pk} [name=row]")
    ledger.do(settling.block_task, rows[1], reason="later")
    page.select_option("#bd-bulk [name=act]", "cancel")
    page.fill("#bd-bulk [name=reason]", "enough")
    browser.check_width()
    page.click("#bd-bulk .wf-submit")
    page.wait_for_selector("text=done to 1 row")
    page.wait_for_selector("text=“Row 1”: It changed meanwhile")
    assert [ledger.see(task).status for task in rows] == [Status.CANCELLED, Status.BLOCKED, Status.PENDING]
