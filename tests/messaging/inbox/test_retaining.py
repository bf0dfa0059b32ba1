"""Retention: what is old goes, its row stays, and so do numbers, counts and whatever somebody still owes."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F

from messaging.inbox.models import CredentialIncident, InboxEvent, Message, Receipt
from messaging.inbox.services import retaining
from messaging.inbox.services.retaining import retain, sweep_retained
from tests.messaging.inbox.conftest import Mate, check_counters, done
from workforce import clock


def run(*args: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("retain", *args, "--format", "json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def grow_old(days: int = 40) -> None:
    span = timedelta(days=days)
    Message.objects.update(created_at=F("created_at") - span)
    Receipt.objects.update(created_at=F("created_at") - span)
    InboxEvent.objects.update(at=F("at") - span)


@pytest.fixture
def history(planner: Mate, coder: Mate) -> dict[str, Any]:
    """An old message that is done, one that is open, and a new one that is done."""
    old, owed = planner.send("old secret plan", to=["coder"]), planner.send("owed plan", to=["coder"])
    done(coder.do(old["id"], "complete", {"note": "noted secret"}))
    grow_old()
    new = planner.send("new plan", to=["coder"], replyingTo=old["id"])
    done(coder.do(new["id"], "complete", {"note": "noted"}))
    return {"old": old, "owed": owed, "new": new}


def test_off__keeps_everything(history: dict[str, Any], unmoved: Any) -> None:
    with unmoved():
        found = run()
    assert found["workflow"] == {"days": None, "before": None, "messages": 0, "notes": 0}
    assert found["governance"] == {"days": None, "before": None, "events": 0, "incidents": 0}


def test_workflow__leaves_a_tombstone(
    history: dict[str, Any], planner: Mate, coder: Mate, settings: Any
) -> None:
    settings.RETAIN_WORKFLOW_DAYS = 30
    assert run()["workflow"] | {"before": 0} == {"days": 30, "before": 0, "messages": 1, "notes": 1}
    seen = coder.see(history["old"]["id"])
    assert "payload" not in seen
    assert seen["removedAt"] > 0
    row = Message.objects.get(pk=history["old"]["id"])
    assert (row.payload, row.excerpt, row.words, row.digest) == (None, "", "", "")
    assert Receipt.objects.get(message=row).note == ""
    assert coder.see(history["owed"]["id"])["payload"] == "owed plan"
    assert coder.see(history["new"]["id"])["payload"] == "new plan"
    assert Receipt.objects.get(message=history["new"]["id"]).note == "noted"
    assert done(coder.get("search?q=secret"))["items"] == []
    thread = done(coder.get(f"messages/{history['new']['id']}/thread?view=ancestry"))
    assert [item["seq"] for item in thread["items"]] == [1, 3]
    assert done(coder.do(history["old"]["id"], "complete"))["state"] == "completed"
    check_counters(planner.inbox)


def test_workflow__a_second_run_finds_nothing(history: dict[str, Any], settings: Any, unmoved: Any) -> None:
    settings.RETAIN_WORKFLOW_DAYS = 30
    assert run()["workflow"]["messages"] == 1
    with unmoved():
        assert run()["workflow"]["messages"] == 0


def test_workflow__once_it_is_closed_it_goes(history: dict[str, Any], coder: Mate, settings: Any) -> None:
    settings.RETAIN_WORKFLOW_DAYS = 30
    run()
    done(coder.do(history["owed"]["id"], "archive"))
    assert run()["workflow"]["messages"] == 1


def test_dry_run__says_the_same_and_changes_nothing(
    history: dict[str, Any], settings: Any, unmoved: Any
) -> None:
    settings.RETAIN_WORKFLOW_DAYS = settings.RETAIN_GOVERNANCE_DAYS = 30
    before = list(InboxEvent.objects.order_by("pk").values())
    with unmoved():
        told = run("--dry-run")
    assert list(InboxEvent.objects.order_by("pk").values()) == before
    did = run()
    assert (told.pop("dryRun"), did.pop("dryRun")) == (True, False)
    for part in (*told.values(), *did.values()):
        part.pop("before")
    assert told == did


def test_governance__events_stay_without_names(history: dict[str, Any], coder: Mate, settings: Any) -> None:
    settings.RETAIN_GOVERNANCE_DAYS = 30
    count = InboxEvent.objects.count()
    old = InboxEvent.objects.filter(at__lt=clock.now() - timedelta(days=30))
    moves = list(old.order_by("pk").values_list("kind", "message_id", "from_state", "to_state"))
    minute = (clock.now() - timedelta(days=40)).replace(second=0, microsecond=0)
    CredentialIncident.objects.create(prefix="a", reason="frozen", minute=minute, count=3)
    CredentialIncident.objects.create(prefix="a", reason="frozen", minute=clock.now(), count=3)
    found = run()["governance"]
    assert (found["events"], found["incidents"]) == (len(moves), 1)
    assert InboxEvent.objects.count() == count
    assert list(old.order_by("pk").values_list("kind", "message_id", "from_state", "to_state")) == moves
    assert set(old.values_list("actor", "passname", "key_prefix", "operator")) == {(None, "", "", "")}
    fresh = InboxEvent.objects.exclude(pk__in=old).exclude(passname="")
    assert fresh.exists()
    assert done(coder.get(f"messages/{history['old']['id']}/events"))["items"][0]["passname"] == ""
    assert coder.see(history["old"]["id"])["payload"] == "old secret plan"
    assert run()["governance"]["events"] == 0


def test_batches__reach_everything(planner: Mate, coder: Mate, settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(retaining, "BATCH", 2)
    for number in range(7):
        done(coder.do(planner.send(number, to=["coder"])["id"], "archive"))
    grow_old()
    settings.RETAIN_WORKFLOW_DAYS = settings.RETAIN_GOVERNANCE_DAYS = 1
    assert retain(at_most=4).messages == 4
    assert retain().messages == 3
    assert not InboxEvent.objects.exclude(passname="").exists()


def test_sweep__does_it_now_and_then(history: dict[str, Any], settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sweep_retained, "_next_at", 0.0)
    assert sweep_retained() == 0
    settings.RETAIN_WORKFLOW_DAYS = 30
    assert sweep_retained() == 2
    grow_old()
    assert sweep_retained() == 0
