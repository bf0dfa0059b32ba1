"""Reading documents in a turn: which, by which name, and how an unknown one is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Player
from tests.workforce.hires import furnish, hire
from tests.workforce.tools.turns import call, offered
from workforce import clock
from workforce.errors import InvalidInput
from workforce.models import Document, Seat
from workforce.selectors.documents import readable_documents
from workforce.services.workers import fork_worker
from workforce.tools.documents import LISTED, SHOWN, UnknownDocument

Standard = Callable[..., Seat]
BOTH = ["list-documents", "read-document"]


@pytest.fixture(autouse=True)
def furnished(owner: Player) -> None:
    furnish(owner.organization)


def readable(seat: Seat) -> list[str]:
    return [document.document_id for document in readable_documents(seat)]


def document(owner: Player, document_id: str, **fields: Any) -> Document:
    values = {"organization": owner.organization, "description": "x", **fields}
    return Document.objects.create(document_id=document_id, **values)


@pytest.mark.parametrize("tools", [[], BOTH[:1], BOTH[1:], BOTH])
def test_offer__what_the_file_lists(seat: Standard, tools: list[str]) -> None:
    assert offered(seat(settings={"tools": tools})) == set(tools)


@pytest.mark.parametrize(
    ("seat_id", "settings", "names"),
    [
        ("support.lead", {}, ["handbook", "house-style", "support.guide"]),
        ("chief", {}, ["handbook", "house-style"]),
        ("sales.lead", {}, ["handbook", "house-style"]),
        ("support.lead", {"resources": []}, []),
        ("support.lead", {"resources": ["guide"]}, ["support.guide"]),
        ("support.lead", {"resources": ["support.guide", "handbook"]}, ["handbook", "support.guide"]),
        ("support.lead", {"resources": ["runbook", "ops.runbook", "gone"]}, []),
    ],
)
def test_readable__the_organizations_and_the_teams_narrowed(
    seat: Standard, seat_id: str, settings: dict[str, Any], names: list[str]
) -> None:
    assert readable(seat(seat_id, settings=settings)) == names


def test_readable__nobody_elses_and_nothing_retired(owner: Player, outsider: Player, seat: Standard) -> None:
    document(owner, "theirs", organization=outsider.organization)
    Document.objects.filter(document_id="handbook").update(retired_at=clock.now())
    lead = seat("support.lead", settings={"tools": BOTH, "resources": ["handbook", "guide"]})
    assert readable(lead) == ["support.guide"]
    for gone in ("handbook", "theirs"):
        with pytest.raises(UnknownDocument):
            call(lead, "read-document", name=gone)


def test_readable__by_a_users_own_worker(owner: Player, seat: Standard) -> None:
    seat("support.lead")
    assert readable(hire(owner, "support.mine")) == ["handbook", "house-style"]
    fork = fork_worker(caller=owner.caller, origin="support.lead", worker_id="mine")
    assert readable(fork) == ["handbook", "house-style", "support.guide"]


def test_list__says_what_each_is_for(owner: Player, seat: Standard) -> None:
    Document.objects.filter(document_id="handbook").update(description="é" * 1000)
    shown = call(seat("support.lead", settings={"tools": BOTH}), "list-documents")
    assert shown == {
        "documents": [
            {"name": "handbook", "description": "é" * SHOWN},
            {"name": "house-style", "description": "About house-style."},
            {"name": "support.guide", "description": "About support.guide."},
        ]
    }


def test_list__is_bounded(owner: Player, seat: Standard) -> None:
    Document.objects.bulk_create(
        Document(organization=owner.organization, document_id=f"d{number}", description="x")
        for number in range(LISTED)
    )
    shown = call(seat("support.lead", settings={"tools": BOTH}), "list-documents")
    assert (len(shown["documents"]), shown["more"]) == (LISTED, 3)


@pytest.mark.parametrize(
    ("name", "found"),
    [("handbook", "handbook"), ("guide", "support.guide"), ("support.guide", "support.guide")],
)
def test_read__by_its_local_or_full_name(seat: Standard, name: str, found: str) -> None:
    shown = call(seat("support.lead", settings={"tools": BOTH}), "read-document", name=name)
    assert shown == {"name": found, "description": f"About {found}.", "body": f"The text of {found}."}


def test_read__a_full_id_comes_before_a_local_name(owner: Player, seat: Standard) -> None:
    document(owner, "support.handbook", team="support", body="The team's.")
    lead = seat("support.lead", settings={"tools": BOTH})
    assert call(lead, "read-document", name="handbook")["body"] == "The text of handbook."
    assert call(lead, "read-document", name="support.handbook")["body"] == "The team's."
    assert readable(seat("support.two", settings={"resources": ["handbook"]})) == ["handbook"]


@pytest.mark.parametrize(
    "name", ["hanbook", "runbook", "ops.runbook", "", "../handbook", "HANDBOOK", "x" * 200]
)
def test_read__an_unknown_one_names_those_that_are(seat: Standard, name: str) -> None:
    lead = seat("support.lead", settings={"tools": BOTH})
    with pytest.raises(UnknownDocument) as caught:
        call(lead, "read-document", name=name)
    assert caught.value.code == "unknown-document"
    assert "known: 'guide', 'handbook', 'house-style', 'support.guide'" in caught.value.words
    assert ("did you mean 'handbook'?" in caught.value.words) == (
        name in ("hanbook", "../handbook", "HANDBOOK", "runbook")
    )


def test_read__nothing_to_read_says_so(seat: Standard) -> None:
    lead = seat("support.lead", settings={"tools": BOTH, "resources": []})
    assert call(lead, "list-documents") == {"documents": []}
    with pytest.raises(UnknownDocument, match="known: none"):
        call(lead, "read-document", name="handbook")


@pytest.mark.parametrize(
    "arguments", [{}, {"name": 5}, {"name": "x" * 201}, {"name": "a\x00b"}, {"nmae": "x"}]
)
def test_read__is_closed(seat: Standard, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        call(seat("support.lead", settings={"tools": BOTH}), "read-document", **arguments)
