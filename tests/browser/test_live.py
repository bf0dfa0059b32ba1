"""An operator follows a mailbox live, on the real server: lines of others appear, and words can be said."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from tests.browser.test_admin import ARGUMENTS, CHROMIUM, PHONE, SCREEN, Watched, log_in, operator, place
from tests.stories.server import Server
from tests.workforce.admin.conftest import World, post
from tests.workforce.api.live import server
from workforce.models import Item

__all__ = ["operator", "place", "server"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing; install the package chromium"),
]


@pytest.fixture(params=[SCREEN, PHONE], ids=["screen", "phone"])
def browser(
    request: pytest.FixtureRequest, server: Server, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watched]:
    from playwright.sync_api import sync_playwright

    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        watched = Watched(chromium.new_page(viewport=request.param), server.url)
        yield watched
        chromium.close()
    assert watched.wrong == []


def test_mailbox__is_followed_and_spoken_in(browser: Watched, place: World) -> None:
    page = browser.page
    log_in(browser)
    browser.open(f"/admin/workforce/inventorymailbox/{place.mailbox.pk}/change/")
    page.wait_for_selector("text=Live.")
    lags = []
    for number in range(3):  # the machine may be busy once, not three times
        since = time.monotonic()
        post(place.session, f"<i>line</i> {number} of another")
        page.wait_for_selector(f"text=<i>line</i> {number} of another")
        lags.append(time.monotonic() - since)
    assert min(lags) < 1, lags

    page.fill("#say-text", "<b>And</b> this is said from the page.")
    page.click(".wf-say .wf-submit")
    page.wait_for_selector(".wf-line >> text=<b>And</b> this is said from the page.")
    assert page.input_value("#say-text") == ""
    browser.check_width()
    page.fill("#say-text", "Once more, with the keyboard.")
    page.press("#say-text", "Control+Enter")
    page.wait_for_selector(".wf-line >> text=Once more, with the keyboard.")
    assert Item.objects.filter(session=place.session, body__contains="keyboard").count() == 1
