"""An operator hires, edits and fires a worker in a real browser, on a screen and a phone."""

from __future__ import annotations

import pytest

from tests.browser.test_admin import CHROMIUM, Watched, browser, log_in, operator, place
from tests.workforce.admin.conftest import World
from workforce.models import Seat

__all__ = ["browser", "operator", "place"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing; install the package chromium"),
]


def test_roster__a_worker_is_hired_edited_and_fired(browser: Watched, place: World) -> None:
    page = browser.page
    log_in(browser)
    browser.open("/admin/workforce/seat/add/")
    page.fill("[name=worker_id]", "~mine")
    page.fill("[name=instructions]", "Find out why.\nOne sentence.")
    page.fill("[name=settings]", '{"tools": ["raed-document"]}')
    page.click("button:has-text('Hire')")
    page.wait_for_selector(".wf-error")
    browser.check_width()
    said = " ".join(page.locator(".wf-error").all_inner_texts())
    assert "must not start with '~'" in said and "did you mean 'read-document'?" in said
    assert not Seat.objects.filter(owner__isnull=False).exists()

    page.fill("[name=worker_id]", "mine")
    page.fill("[name=settings]", '{"tools": ["read-document"]}')
    page.click("button:has-text('Hire')")
    page.wait_for_selector("text=is on the roster of olga")
    seat = Seat.objects.get(seat_id="mine")
    assert (seat.instructions, seat.owner.username) == ("Find out why.\nOne sentence.", "olga")
    assert page.locator(".wf-intro").inner_text().lower().startswith("off shift")
    browser.check_width()

    page.click("a:has-text('Edit')")
    page.fill("[name=description]", "Finds out why.")
    page.click("button:has-text('Save')")
    page.wait_for_selector("text=Finds out why.")
    page.click("summary:has-text('Fire')")
    page.click("button:has-text('Fire')")
    page.wait_for_selector("text=is fired")
    seat.refresh_from_db()
    assert (seat.description, seat.instructions, seat.retired_at is None) == (
        "Finds out why.", "Find out why.\nOne sentence.", False,
    )  # fmt: skip
    browser.open("/admin/workforce/seat/?state=off-shift")
    assert page.locator("#result_list a:has-text('mine')").count() == 1
