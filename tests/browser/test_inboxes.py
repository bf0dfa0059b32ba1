"""An operator reads an inbox in a real browser, on a screen and a phone: who owes what, a thread, a hand-over."""

from __future__ import annotations

import pytest
from django.test import override_settings

from messaging.digests.subscribing import Subscriber, subscribe
from messaging.inbox.hands import Hand
from messaging.inbox.models import Message, Participation, Receipt
from messaging.inbox.services.opening import join_inbox, leave_inbox
from messaging.inbox.services.sending import Letter, send_message
from tests.browser.test_admin import CHROMIUM, PHONE, Watched, browser, log_in, operator, place
from tests.factories import make_actor
from tests.workforce.admin.conftest import World

__all__ = ["browser", "operator", "place"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing; install the package chromium"),
]
HOSTILE = "<script>document.title = 'taken over'</script>"


def hand_of(message: Message, passname: str) -> Hand:
    found = Participation.objects.select_related("actor").get(inbox=message.inbox, actor__passname=passname)
    return Hand(message.inbox, found.actor, found)


def ask_aide(place: World) -> Message:
    """A request to somebody else in the world's inbox."""
    first = place.rows["messaging.message"]
    make_actor(organization=place.organization, user=place.user, passname="acme-aide")
    join_inbox(inbox=first.inbox, passname="acme-aide")
    letter = Letter(type="request", topic="plan", payload="Please look.")
    return send_message(hand=hand_of(first, "acme-bot"), letter=letter).message


def test_inbox__who_owes_what_a_thread_and_a_hand_over(browser: Watched, place: World) -> None:
    page = browser.page
    asked = ask_aide(place)
    aide = hand_of(asked, "acme-aide")
    reply = Letter(type="message", payload={"text": HOSTILE, "long": "x" * 5000}, replying_to=asked.pk)
    send_message(hand=aide, letter=reply)
    log_in(browser)
    browser.open("/admin/messaging/inbox/")
    page.click("#result_list a:has-text('acme-inbox')")
    page.wait_for_selector(".ib-table")
    browser.check_width()
    assert page.locator("svg.ib-plot[role=img]").count() == 3
    for plot in page.locator("svg.ib-plot").all():
        named = plot.get_attribute("aria-labelledby").split()
        assert all(page.locator(f"#{name}").count() == 1 for name in named)
    row = page.locator(".ib-table tr:has-text('acme-aide')")
    assert "1" in row.locator("td[data-name=owes]").inner_text()

    page.click(".wf-panel:has-text('Newest messages') a.wf-row:has-text('message')")
    page.wait_for_selector("text=Receipts")
    browser.check_width()
    assert HOSTILE in page.locator(".wf-panel:has-text('Payload') pre").first.inner_text()
    assert page.title() != "taken over"
    assert page.locator("[aria-current=page]").count() == 1
    page.click(".wf-panel:has-text('Thread') a.wf-row >> nth=0")
    page.wait_for_selector("text=Request 2")

    leave_inbox(inbox=asked.inbox, passname="acme-aide")
    browser.open(f"/admin/messaging/inbox/{asked.inbox.pk}/change/")
    assert page.locator(".wf-alert:has-text('owed by nobody')").count() == 1
    page.click("summary:has-text('Let join…')")
    page.fill("[name=passname] >> visible=true", "nobody-here")
    page.click("button:has-text('Let join') >> visible=true")
    page.wait_for_selector("text=unknown-passname")
    browser.check_width()
    page.click("summary:has-text('Let join again')")
    page.click(".ib-more button:has-text('Let join again')")
    page.wait_for_selector("text=takes part: it is sent")
    assert Receipt.objects.get(message=asked).recipient == aide.actor


def test_digest__of_a_long_name_fits_the_screen(browser: Watched, place: World) -> None:
    actor, _ = make_actor(organization=place.organization, user=place.user, passname="a" * 64)
    subscriber = Subscriber(place.organization, place.user, actor)
    with override_settings(EMAIL_URL="memorymail://"):
        row = subscribe(
            subscriber=subscriber, channel="email", cadence="daily", address=f"{'o' * 60}@{'x' * 60}.com"
        )
    log_in(browser)
    browser.open("/admin/messaging/digestsubscription/")
    if browser.page.viewport_size == PHONE:
        cut = "[...document.querySelectorAll('#result_list th')].some(e => e.scrollWidth > e.clientWidth)"
        assert not browser.page.evaluate(cut)
    browser.open(f"/admin/messaging/digestsubscription/{row.pk}/change/")


def test_inbox__reads_in_the_dark(browser: Watched, place: World) -> None:
    page = browser.page
    page.emulate_media(color_scheme="dark")
    log_in(browser)
    browser.open(f"/admin/messaging/inbox/{place.rows['messaging.inbox'].pk}/change/")
    page.evaluate("document.documentElement.classList.add('dark')")
    text, ground = page.evaluate(
        "[getComputedStyle(document.querySelector('.ib-label')).fill,"
        " getComputedStyle(document.querySelector('.ib-figure')).backgroundColor]"
    )
    assert text != ground
