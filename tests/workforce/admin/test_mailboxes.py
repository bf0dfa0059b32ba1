"""A mailbox's page reads like a conversation, says what drifted, and takes every text for text."""

from __future__ import annotations

import re

import pytest
from django.db import transaction
from django.test import Client
from django.utils.html import escape

from mailboxes.models import Declaration
from tests.workforce.admin.conftest import World, post
from workforce.admin.paging import PAGE
from workforce.models import Item, Request, Session
from workforce.services.items import keep_line

EVIL = "<script>alert(1)</script>"


def read(client: Client, world: World, query: str = "") -> str:
    answer = client.get(f"/admin/workforce/inventorymailbox/{world.mailbox.pk}/change/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def numbers(page: str) -> list[int]:
    return [int(number) for number in re.findall(r'id="line-(\d+)"', page)]


def write_lines(session: Session, count: int) -> None:
    request = Request.objects.filter(session=session).earliest("pk")
    start = Item.objects.filter(session=session).count()
    Item.objects.bulk_create(
        Item(
            session=session, seq=number, line_seq=number, type="component", component="mailbox-post",
            request_id=request.uid, principal="acme-user", body=f"line {number}",
        )
        for number in range(start + 1, start + count + 1)
    )  # fmt: skip
    session.item_seq = session.line_seq = start + count
    session.save(update_fields=["item_seq", "line_seq"])


def test_page__shows_members_charter_boards_lines_and_who_works(operator: Client, world: World) -> None:
    page = read(operator, world)
    for words in ("Ask here.", "acme.lead", "nobody.there", "no seat: nobody is told", "Be brief.", "triage"):
        assert words in page
    assert "A line of acme." in page
    assert "author-not-a-member" in page
    assert "acme.lead in acme.help" in page
    assert "drifted" not in page


def test_line__says_what_is_claimed_and_what_is_proved(operator: Client, world: World) -> None:
    post(world.session, "I lead.", author="acme.lead")
    assert "claimed" in read(operator, world)
    Item.objects.update(author="", passname="acme-bot")
    page = read(operator, world)
    assert "claimed" not in page
    assert "key of acme-bot" in page


def test_line__of_a_seat_is_not_a_claim(operator: Client, world: World) -> None:
    with transaction.atomic():
        session = Session.objects.select_for_update().get(pk=world.session.pk)
        keep_line(
            session=session, request=world.refused, body="Done.", principal="acme-user",
            author="acme.lead", seat_authored=True,
        )  # fmt: skip
    page = read(operator, world)
    assert 'class="wf-line wf-seat"' in page
    assert "claimed" not in page


def test_page__every_text_is_escaped(operator: Client, world: World) -> None:
    post(world.session, EVIL)
    Item.objects.update(author=EVIL, principal=EVIL, passname=EVIL)
    Request.objects.filter(pk=world.refused.pk).update(error={"code": EVIL, "message": EVIL})
    world.session.description = EVIL
    world.session.state = {"members": [EVIL], "charter": EVIL}
    world.session.save(update_fields=["description", "state"])
    world.session.children.update(title=EVIL)
    Declaration.objects.update(
        description=EVIL + "2", members=[EVIL + "3"], charter=EVIL + "4", fallback=EVIL
    )
    for path in (
        f"/admin/workforce/inventorymailbox/{world.mailbox.pk}/change/",
        "/admin/workforce/inventorymailbox/",
        f"/admin/workforce/session/{world.session.pk}/change/",
        world.paths()["mailboxes.declaration"],
        "/admin/",
    ):
        answer = operator.get(path)
        assert answer.status_code == 200
        assert EVIL.encode() not in answer.content
        assert b"&lt;script&gt;" in answer.content
    assert f'<div class="wf-body" dir="auto">{escape(EVIL)}</div>' in read(operator, world)


def test_body__keeps_its_line_breaks(operator: Client, world: World) -> None:
    post(world.session, "one\n  two\n\nthree")
    assert '<div class="wf-body" dir="auto">one\n  two\n\nthree</div>' in read(operator, world)


def test_pages__walk_back_and_forth_without_gap_or_repeat(operator: Client, world: World) -> None:
    write_lines(world.session, 2 * PAGE + 9)
    total, seen, query = 2 * PAGE + 10, [], ""
    while True:
        page = read(operator, world, query)
        seen = numbers(page) + seen
        earlier = re.search(r'href="\?before=(\d+)">← Earlier', page)
        if earlier is None:
            break
        query = f"?before={earlier[1]}"
    assert seen == list(range(1, total + 1))
    later = re.search(r'href="\?before=(\d+)">Later', page)
    assert later is not None
    following = numbers(read(operator, world, f"?before={later[1]}"))
    assert following[0] == numbers(page)[-1] + 1


@pytest.mark.parametrize("before", ["0", "1", "-5", "x", "9" * 30, "²", "99999", ""])
def test_pages__a_number_that_is_none_shows_the_newest(operator: Client, world: World, before: str) -> None:
    assert numbers(read(operator, world, f"?before={before}")) == [1]


def test_pages__neither_count_nor_skip(operator: Client, world: World, django_assert_max_num_queries) -> None:
    write_lines(world.session, 3 * PAGE)
    with django_assert_max_num_queries(16) as queries:
        read(operator, world, f"?before={PAGE}")
    on_items = [query["sql"] for query in queries.captured_queries if "workforce_item" in query["sql"]]
    assert on_items
    assert not [sql for sql in on_items if "COUNT(" in sql.upper() or "OFFSET" in sql.upper()]


def test_drift__is_said_in_words(operator: Client, world: World) -> None:
    Declaration.objects.update(members=["acme.lead", "new.one"], charter="Be long.", kind="announcements")
    page = read(operator, world)
    assert "the file adds &#x27;new.one&#x27;" in page
    assert "the file drops &#x27;nobody.there&#x27;" in page
    assert "another charter" in page
    assert "Be long." in page
    assert "the mailbox was opened as &#x27;mailbox&#x27;" in page
    assert b"drifted" in operator.get("/admin/workforce/inventorymailbox/").content


def test_drift__the_same_members_in_another_order(operator: Client, world: World) -> None:
    Declaration.objects.update(members=["nobody.there", "acme.lead"])
    assert "same members in another order" in read(operator, world)


def test_page__a_mailbox_that_left_the_tree_says_so(operator: Client, world: World) -> None:
    Declaration.objects.update(live=False, members=[])
    page = read(operator, world)
    assert "No file of the tree declares it any more" in page
    assert "drifted" not in page
    answer = operator.get("/admin/workforce/inventorymailbox/?declared=no")
    assert list(answer.context["cl"].result_list) == [world.mailbox]
    assert (
        list(operator.get("/admin/workforce/inventorymailbox/?declared=yes").context["cl"].result_list) == []
    )


def test_page__without_a_session_or_with_an_unbound_one(operator: Client, world: World) -> None:
    world.session.state = {}
    world.session.save(update_fields=["state"])
    assert "A line of acme." in read(operator, world)
    Session.objects.filter(parent=world.session).delete()
    world.session.delete()
    assert "no session at its id" in read(operator, world)


def test_list__shows_how_each_mailbox_stands(operator: Client, world: World) -> None:
    Declaration.objects.update(fallback="acme.lead")
    page = operator.get("/admin/workforce/inventorymailbox/").content.decode()
    for words in ("acme.help", "triage", "one member, else acme.lead", "as opened"):
        assert words in page
    routed = operator.get("/admin/workforce/inventorymailbox/?declared=routed")
    assert list(routed.context["cl"].result_list) == [world.mailbox]
