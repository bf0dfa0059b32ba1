"""The operators' pages of worker messages on a screen and a phone: nothing is cut, whatever is said."""

from __future__ import annotations

import pytest

from messaging.models import WorkerMessage
from tests.browser.test_admin import CHROMIUM, Watched, browser, log_in, operator, place
from tests.workforce.admin.conftest import World

__all__ = ["browser", "operator", "place"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing; install the package chromium"),
]
LIST = "/admin/messaging/workermessage/"
#: Cells of a list whose text is taller or wider than they are.
CUT = "cells => cells.filter(c => c.scrollHeight > c.clientHeight + 1 || c.scrollWidth > c.clientWidth + 1).length"


@pytest.fixture
def said(place: World) -> WorkerMessage:
    """The first of four messages, each as tall as a screen."""
    (first,) = WorkerMessage.objects.filter(owner=place.user)
    first.text = "<b>What</b> is it that they ask for so often " * 40
    first.sender, first.recipient = "w" * 130, "<i>v</i>" * 16
    first.save()
    for number in range(3):
        answer = WorkerMessage.objects.get(pk=first.pk)
        answer.pk, answer.message_id, answer.dispatch_key = None, f"msg_{number:020}", f"x{number}"
        answer.reply_to, answer.status, answer.reason = first.message_id, "refused", "away " * 50
        answer.save(force_insert=True)
    return first


def test_list__cuts_no_cell(browser: Watched, said: WorkerMessage) -> None:
    log_in(browser)
    for query in ("", "?shown=messages", "?status=refused"):
        browser.open(LIST + query)
        cells = browser.page.locator("#result_list tbody :is(td, th)")
        assert cells.count() > 0
        assert cells.evaluate_all(CUT) == 0, query


def test_exchange__is_shown_whole(browser: Watched, said: WorkerMessage) -> None:
    log_in(browser)
    browser.open(f"{LIST}{said.pk}/change/")
    talk = browser.page.locator(".wf-talk")
    assert talk.locator(".wf-line").count() == 4
    assert talk.evaluate_all(CUT) == 0
    browser.page.wait_for_selector(".wf-body >> text=<b>What</b> is it")
