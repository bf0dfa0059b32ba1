"""An operator's night in a real browser: log in, read a mailbox, issue a key, revoke it, on a screen and a phone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.factories import make_user
from tests.workforce.admin.conftest import World, make_world, post
from workforce.models import Key, Membership, User
from workforce.services.organizations import ensure_membership

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PASSWORD = "four plain words here"
SCREEN, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing; install the package chromium"),
]


class Watched:
    """A page of the browser, and everything on it that should not be."""

    def __init__(self, page: Any, base: str) -> None:
        self.page, self.base = page, base
        self.wrong: list[str] = []
        page.on("console", lambda said: said.type == "error" and self.wrong.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))
        page.on("request", lambda call: self._check_host(call.url))

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.base + "/", "data:", "blob:")):
            self.wrong.append(f"another host: {url}")

    def open(self, path: str) -> None:
        self.page.goto(self.base + path)
        self.check_width()

    def check_width(self) -> None:
        """The page never scrolls sideways."""
        widths = self.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert widths[0] <= widths[1], (self.page.url, widths)


@pytest.fixture
def operator(transactional_db: None) -> User:
    user = make_user("olga", is_staff=True)
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    return user


@pytest.fixture
def place(operator: User) -> World:
    world = make_world("acme")
    ensure_membership(user=operator, organization=world.organization, role=Membership.Role.OWNER)
    post(world.session, "<script>document.title = 'taken over'</script>\nand a second line")
    post(world.session, "long" * 500)
    return world


@pytest.fixture(params=[SCREEN, PHONE], ids=["screen", "phone"])
def browser(
    request: pytest.FixtureRequest, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watched]:
    from playwright.sync_api import sync_playwright

    # Playwright keeps a loop in this thread; the tests' own queries run beside it, one at a time.
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        watched = Watched(chromium.new_page(viewport=request.param), live_server.url)
        yield watched
        chromium.close()
    assert watched.wrong == []


def log_in(browser: Watched) -> None:
    browser.open("/admin/")
    browser.page.fill("[name=username]", "olga")
    browser.page.fill("[name=password]", PASSWORD)
    browser.page.click("[type=submit]")
    browser.page.wait_for_selector(".wf-cards")
    browser.check_width()


def test_night__a_mailbox_is_read_and_a_key_issued_and_revoked(browser: Watched, place: World) -> None:
    page = browser.page
    log_in(browser)
    page.click(".wf-card:has-text('open mailboxes')")
    page.click("#result_list a:has-text('acme.help')")
    page.wait_for_selector(".wf-talk")
    browser.check_width()
    lines = page.locator(".wf-line")
    assert lines.count() == 3
    assert lines.nth(0).locator(".wf-body").inner_text() == "A line of acme."
    assert "<script>" in lines.nth(1).inner_text()
    assert lines.nth(2).is_visible()
    assert page.title() != "taken over"
    assert page.locator(".wf-panel:has-text('Failed lately')").inner_text().count("author-not-a-member") == 1

    browser.open(f"/admin/workforce/actor/{place.actor.pk}/change/")
    page.click("summary:has-text('Issue a key')")
    page.check("input[value='flows:read']")
    page.click("button:has-text('Issue a key')")
    text = page.locator("#issued-key").inner_text()
    key = Key.objects.latest("pk")
    assert text.startswith(f"wfk_{key.prefix}_")
    assert key.grants == ["flows:read"]
    browser.check_width()

    page.reload()
    page.wait_for_selector(".wf-buttons")
    assert text not in page.content()
    assert Key.objects.latest("pk") == key

    page.click(f"a:has-text('wfk_{key.prefix}')")
    page.click("summary:has-text('Revoke')")
    page.click("button:has-text('Revoke')")
    page.wait_for_selector("text=is revoked")
    key.refresh_from_db()
    assert key.revoked_at is not None


def test_pages__fit_every_screen_and_stay_on_this_host(browser: Watched, place: World) -> None:
    log_in(browser)
    for name, path in place.paths().items():
        if name in ("workforce.organization", "workforce.user"):
            continue
        browser.open(path.rsplit("/", 3)[0] + "/")
        browser.open(path)
        assert browser.page.locator("#content-main, .wf-panel").count() > 0, path
    browser.open("/admin/workforce/actor/add/")
