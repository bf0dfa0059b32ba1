"""The delegates of a conversation: actions, and tools of a worker whose file lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Player
from tests.messaging.delegation.offices import Office
from workforce.models import Item, Seat, Session


@pytest.fixture
def call(office: Office) -> Callable[..., Any]:
    """Call an action of the coordinator's conversation; its status and its output, or the code of its refusal."""

    def run(session: Session, action: str, player: Player | None = None, **input: Any) -> Any:
        path = f"/api/flows/coordinator/{session.address}/actions/{action}"
        response = (player or office.owner).api.post(path, {"input": input}, Prefer="return=representation")
        body = response.json()
        return body["code"] if response.status_code >= 400 else body["output"]

    return run


def ids(output: Any) -> list[str]:
    return [one["worker"] for one in output["delegates"]]


def test_list__says_what_each_takes(office: Office, call: Callable[..., Any]) -> None:
    office.hire("coder", kind="handler", handler="none", description="Codes.")
    office.hire("boss", kind="coordinator", description=" ")
    talk = office.lead("judgment", "scout", "coder", "boss", "gone", fallback="scout")
    Seat.objects.filter(seat_id="gone").delete()
    assert call(talk, "listDelegates") == {
        "delegates": [
            {"worker": "scout", "description": "Does what scout does.", "takes": "both"},
            {"worker": "coder", "description": "Codes.", "takes": "tasks"},
            {"worker": "boss", "description": None, "takes": "nothing"},
            {"worker": "gone", "description": None, "takes": "nothing"},
        ],
        "fallback": "scout",
        "max": 25,
    }


def test_add__is_for_this_conversation_and_the_file_counts_elsewhere(
    office: Office, call: Callable[..., Any]
) -> None:
    talk = office.lead("everyone", "scout")
    seat = Seat.objects.get(seat_id="lead")
    other = office.conversation(seat, "other")
    office.hire("clerk")
    assert ids(call(talk, "addDelegate", worker="clerk")) == ["scout", "clerk"]
    assert office.say(talk).output == {"handedTo": ["scout", "clerk"]}
    assert office.say(other).output == {"handedTo": ["scout"]}
    seat.settings = {**seat.settings, "delegates": []}
    seat.save()
    assert ids(call(talk, "listDelegates")) == ["scout", "clerk"]
    assert ids(call(other, "listDelegates")) == []


@pytest.mark.parametrize(
    ("worker", "code"),
    [
        ("nobody", "not-found"),
        ("bobs", "not-found"),
        ("lead", "delegate-unavailable"),
        ("boss", "delegate-unavailable"),
        ("scout", "already-a-delegate"),
        ("", "not-found"),
        ("a\x00b", "invalid-input"),
        (7, "invalid-input"),
    ],
)
def test_add__refuses(
    worker: Any,
    code: str,
    office: Office,
    stranger: Player,
    call: Callable[..., Any],
    nothing_written: Callable[..., Any],
) -> None:
    office.hire("boss", kind="coordinator")
    talk = office.lead("judgment", "scout")
    Seat.objects.create(
        organization=stranger.organization,
        owner=stranger.user,
        seat_id="bobs",
        kind="agent",
        description="His.",
    )
    with nothing_written(**({} if code == "invalid-input" else {"Request": 1})):
        assert call(talk, "addDelegate", worker=worker) == code


def test_add__of_the_worker_itself_says_so(office: Office) -> None:
    talk = office.lead("judgment", "scout")
    path = f"/api/flows/coordinator/{talk.address}/actions/addDelegate"
    answer = office.owner.api.post(path, {"input": {"worker": "lead"}}, Prefer="return=representation").json()
    assert (answer["code"], answer["detail"]) == (
        "delegate-unavailable",
        "'lead' is the worker itself; name another one",
    )


def test_add__takes_25(office: Office, call: Callable[..., Any]) -> None:
    names = [f"w{number:02}" for number in range(26)]
    talk = office.lead("judgment", *names[:24])
    for name in names[24:]:
        office.hire(name)
    assert len(ids(call(talk, "addDelegate", worker="w24"))) == 25
    assert call(talk, "addDelegate", worker="w25") == "too-many-delegates"


def test_remove__takes_the_fallback_along_and_works_for_who_is_gone(
    office: Office, call: Callable[..., Any]
) -> None:
    talk = office.lead("best-fit", "scout", "clerk", fallback="scout")
    Seat.objects.filter(seat_id="scout").delete()
    output = call(talk, "removeDelegate", worker="scout")
    assert (ids(output), output["fallback"]) == (["clerk"], None)
    assert call(talk, "removeDelegate", worker="scout") == "not-a-delegate"


def test_fallback__is_one_of_them_or_nobody(office: Office, call: Callable[..., Any]) -> None:
    talk = office.lead("best-fit", "scout", "clerk")
    assert call(talk, "setFallback", worker="clerk")["fallback"] == "clerk"
    assert call(talk, "setFallback", worker="nobody") == "not-a-delegate"
    assert call(talk, "setFallback", worker=None)["fallback"] is None


def test_actions__of_another_user_find_no_session(
    office: Office, stranger: Player, call: Callable[..., Any]
) -> None:
    talk = office.lead("judgment", "scout")
    office.hire("clerk")
    assert call(talk, "addDelegate", stranger, worker="clerk") == "session-not-found"


def test_tools__are_for_workers_whose_file_lists_them(office: Office) -> None:
    talk = office.lead("judgment", "scout", tools=["listDelegates", "addDelegate"])
    office.hire("clerk")
    office.script("lead", [("addDelegate", {"worker": "clerk"}), ("addDelegate", {"worker": "x"})], "Done.")
    office.say(talk)
    assert {"listDelegates", "addDelegate"} <= set(office.tools("lead"))
    assert not {"removeDelegate", "setFallback"} & set(office.tools("lead"))
    rows = (
        Item.objects.filter(session=talk, type="tool_output").order_by("seq").values_list("data", flat=True)
    )
    outputs = [data["output"] for data in rows if data]
    assert ids(outputs[0]) == ["scout", "clerk"]
    assert outputs[1]["error"].startswith("not-found: there is no worker 'x'")
