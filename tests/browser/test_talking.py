"""An operator talks to a worker on its page, on the real server: the answer and what the worker does arrive live."""

from __future__ import annotations

import pytest

from tests.browser.test_admin import CHROMIUM, Watched, log_in, operator, place
from tests.browser.test_live import browser
from tests.workforce.admin.conftest import World
from tests.workforce.api.live import server
from workforce.callers import Caller
from workforce.models import Item, Request, Seat, Session
from workforce.services.conversing import ensure_worker_session
from workforce.services.items import append_item

__all__ = ["browser", "operator", "place", "server"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing; install the package chromium"),
]
TOLD = "The codename of the spring launch is Bluebird."


@pytest.fixture
def talk(place: World) -> Session:
    """The user's conversation with a worker whose model quotes what it was told."""
    Seat.objects.create(
        organization=place.organization,
        seat_id="acme.chief",
        kind="agent",
        description="Knows names.",
        instructions=TOLD,
        settings={"model": "offline:extract"},
    )
    caller = Caller(user=place.user, organization=place.organization)
    return ensure_worker_session(caller=caller, worker_id="acme.chief")[0]


def test_worker__is_talked_to_and_answers_live(browser: Watched, talk: Session) -> None:
    page = browser.page
    log_in(browser)
    browser.open(f"/admin/workforce/session/{talk.pk}/change/")
    page.wait_for_selector("text=Live.")
    page.fill("#say-text", "What is the <b>codename</b> of the spring launch?")
    page.click(".wf-say .wf-submit")
    page.wait_for_selector(".wf-line:not(.wf-seat) >> text=What is the <b>codename</b> of the spring launch?")
    page.wait_for_selector(f".wf-seat >> text={TOLD}")
    page.wait_for_selector(".wf-working:empty", state="attached")
    assert page.input_value("#say-text") == ""
    browser.check_width()
    [request] = Request.objects.filter(session=talk)
    assert (request.status, request.source, request.metadata["by"]) == ("completed", "admin", "olga")

    talk.refresh_from_db()  # its counter of items is the server's
    given = {"to": "acme.lead", "text": "long" * 300}
    for output in ({"sent": f"msg_{'0' * 20}"}, {"ok": False, "error": "no_worker: there is no worker"}):
        data = {"tool": "messageWorker", "input": given, "output": output}
        append_item(session=talk, request=request, type=Item.Type.TOOL_OUTPUT, data=data)
    data = {"role": "user", "text": "From acme.lead: <i>Hello?</i>", "author": "acme.lead"}
    append_item(session=talk, request=request, type=Item.Type.MESSAGE, data=data)
    page.wait_for_selector(".wf-line:has-text('acme.lead') >> text=From acme.lead: <i>Hello?</i>")
    assert page.locator(".wf-aside >> text=To acme.lead: long").count() == 2
    assert page.locator(".wf-aside:has-text('not sent')").count() == 1
    browser.check_width()


def test_worker__that_was_fired_is_not_talked_to(browser: Watched, talk: Session) -> None:
    log_in(browser)
    Seat.objects.filter(pk=talk.seat_id).update(retired_at="2026-01-01T00:00:00Z")
    browser.open(f"/admin/workforce/session/{talk.pk}/change/")
    browser.page.wait_for_selector("text=acme.chief is not hired any more")
    assert browser.page.locator("#say-text").count() == 0


def test_tasks__are_lines_of_their_own_and_arrive_live(browser: Watched, talk: Session) -> None:
    page = browser.page
    log_in(browser)
    browser.open(f"/admin/workforce/session/{talk.pk}/change/")
    page.wait_for_selector("text=Live.")
    request = Request.objects.create(session=talk, action="run", source="http", status="completed")
    told = {
        "role": "user",
        "text": 'Task "Count <b>them</b>." (task_1) was completed: 7',
        "author": "acme.scout",
    }
    asked = {
        "role": "user",
        "text": 'Task "Sort them." (task_2) waits for an answer: How?',
        "author": "acme.scout",
    }
    filed = {
        "tool": "addTask_tasks",
        "input": {"goal": "Count <b>them</b>.", "assignee": "acme.scout"},
        "output": {"ok": True, "taskId": "task_1", "assignee": "acme.scout"},
    }
    append_item(session=talk, request=request, type=Item.Type.TOOL_OUTPUT, data=filed)
    for data in (told, asked):
        append_item(session=talk, request=request, type=Item.Type.MESSAGE, data=data)
    page.wait_for_selector(".wf-aside:has-text('addTask_tasks') >> text=Count <b>them</b>.")
    page.wait_for_selector(".wf-line:has-text('acme.scout') >> text=(task_1) was completed: 7")
    page.wait_for_selector(".wf-line:has-text('acme.scout') >> text=(task_2) waits for an answer: How?")
    assert page.locator(".wf-line:has-text('Task ')").count() == 2
    browser.check_width()
