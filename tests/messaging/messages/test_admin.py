"""The operators' pages of worker messages: exchanges, and the lines of a conversation."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from messaging.models import WorkerMessage
from tests.factories import make_user
from tests.messaging.messages.office import Office, to
from tests.workforce.admin.conftest import World, login, make_world, operator, world
from workforce.admin.talk import render_row
from workforce.models import Item

__all__ = ["login", "operator", "world"]

LIST = "/admin/messaging/workermessage/"
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def office(world: World) -> Office:
    """The workers of the operator's organization."""
    from tests.conftest import make_player

    return Office(make_player(world.user, world.organization, "desk"))


@pytest.fixture
def talked(office: Office) -> list[WorkerMessage]:
    from workforce.turns.models import register_model

    register_model("test:", office.model)
    office.hire("ann", to("ben", f"What is it? {EVIL}"), "Asked.", "Thanks.")
    office.hire("ben", "Bluebird.")
    office.say("ann")
    return list(WorkerMessage.objects.filter(sender__in=["ann", "ben"]).order_by("pk"))


def test_list__is_of_exchanges(operator: Client, talked: list[WorkerMessage]) -> None:
    content = operator.get(LIST).content.decode()
    assert "What is it?" in content and "2 messages" in content
    assert "Bluebird." not in content and EVIL not in content


@pytest.mark.parametrize("query", ["?shown=messages", "?q=ben"])
def test_list__of_every_message(query: str, operator: Client, talked: list[WorkerMessage]) -> None:
    content = operator.get(LIST + query).content.decode()
    assert "What is it?" in content and "Bluebird." in content


def test_list__by_status(operator: Client, talked: list[WorkerMessage]) -> None:
    WorkerMessage.objects.filter(pk=talked[0].pk).update(status="refused", reason="no")
    assert "What is it?" in operator.get(f"{LIST}?status=refused").content.decode()
    assert "What is it?" not in operator.get(f"{LIST}?status=delivered").content.decode()


def test_list__by_status_has_answers_too(operator: Client, talked: list[WorkerMessage]) -> None:
    """A refused answer begins no exchange, and is looked for all the same."""
    WorkerMessage.objects.filter(pk=talked[1].pk).update(status="refused", reason="no")
    content = operator.get(f"{LIST}?status=refused").content.decode()
    assert "Bluebird." in content and "What is it?" not in content


def test_list__cuts_names_that_are_as_long_as_may_be(operator: Client, talked: list[WorkerMessage]) -> None:
    WorkerMessage.objects.filter(pk=talked[0].pk).update(sender="w" * 130, recipient="v" * 130)
    content = operator.get(LIST).content.decode()
    assert "w" * 41 not in content and "v" * 41 not in content


def test_list__costs_the_same_for_many(
    operator: Client, talked: list[WorkerMessage], django_assert_num_queries: Any
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        operator.get(LIST)
    one = talked[0]
    for number in range(30):
        one.pk, one.message_id, one.exchange = None, f"msg_{number}", f"msg_{number}"
        one.dispatch_key = f"x{number}"
        one.save(force_insert=True)
    with django_assert_num_queries(len(few)):
        operator.get(LIST)


def test_page__is_the_exchange_with_both_sessions(operator: Client, talked: list[WorkerMessage]) -> None:
    for message in talked:
        content = operator.get(f"{LIST}{message.pk}/change/").content.decode()
        assert "Bluebird." in content and "&lt;script&gt;" in content and EVIL not in content
        assert message.from_session is not None and message.to_session is not None
        for session in (message.from_session, message.to_session):
            assert f"/admin/workforce/session/{session.pk}/change/" in content


def test_page__shows_why_one_was_refused(operator: Client, talked: list[WorkerMessage]) -> None:
    WorkerMessage.objects.filter(pk=talked[0].pk).update(
        status="refused", reason=f"away {EVIL}", to_session=None, from_session=None
    )
    content = operator.get(f"{LIST}{talked[0].pk}/change/").content.decode()
    assert "away &lt;script&gt;" in content


def test_exchange__of_another_user_is_not_mixed_in(operator: Client, talked: list[WorkerMessage]) -> None:
    other = make_world("umbrella").rows["messaging.workermessage"]
    WorkerMessage.objects.filter(pk=other.pk).update(exchange=talked[0].exchange)
    assert "umbrella" not in operator.get(f"{LIST}{talked[0].pk}/change/").content.decode()


def test_exchange__of_another_user_of_the_organization_is_not_mixed_in(
    operator: Client, talked: list[WorkerMessage]
) -> None:
    theirs = WorkerMessage.objects.get(pk=talked[1].pk)
    theirs.pk, theirs.owner, theirs.text = None, make_user("somebody-else"), "Redbird."
    theirs.message_id, theirs.dispatch_key = "msg_other", "other"
    theirs.save(force_insert=True)
    content = operator.get(f"{LIST}{talked[0].pk}/change/").content.decode()
    assert "Bluebird." in content and "Redbird." not in content


class TestConversation:
    """How a conversation shows what was sent and what came."""

    def rows(self, office: Office, worker_id: str) -> list[str]:
        return [
            render_row(item) for item in Item.objects.filter(session=office.own(worker_id)).order_by("seq")
        ]

    def test_sent_message__is_a_line_of_its_own(self, office: Office, talked: list[WorkerMessage]) -> None:
        [_, sent, *_] = self.rows(office, "ann")
        assert "To ben: What is it? &lt;script&gt;" in sent
        assert "not sent" not in sent

    def test_message__stands_under_the_sender_s_name(
        self, office: Office, talked: list[WorkerMessage]
    ) -> None:
        told = self.rows(office, "ben")[0]
        assert '<bdi class="wf-strong">ann</bdi>' in told and "From ann: What is it?" in told

    def test_refused_message__says_so(self, office: Office, talked: list[WorkerMessage]) -> None:
        office.script("ann", to("nobody", "Hello?"), "Nobody there.")
        office.say("ann")
        row = self.rows(office, "ann")[-2]
        assert "To nobody: Hello?" in row and "not sent" in row and "no_worker: " in row

    @pytest.mark.parametrize("output", [None, "odd", 7, [], {}, {"error": 7}])
    def test_odd_output__is_shown(self, output: Any, office: Office, talked: list[WorkerMessage]) -> None:
        item = Item.objects.filter(type="tool_output").first()
        assert item is not None
        for given in ({"to": "ben", "text": "Hm"}, {"to": {}, "text": None}, "odd", None):
            item.data = {"tool": "messageWorker", "input": given, "output": output}
            assert "messageWorker" in render_row(item)
