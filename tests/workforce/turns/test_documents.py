"""Which documents a seat can read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Player
from tests.factories import make_organization
from workforce import clock
from workforce.models import Document, Organization, Seat
from workforce.selectors.documents import readable_documents


def install(organization: Organization, *ids: str, **fields: Any) -> None:
    for id in ids:
        team, dot, _ = id.partition(".")
        Document.objects.create(
            organization=organization, document_id=id, team=team if dot else "", description="x", **fields
        )


@pytest.fixture(autouse=True)
def documents(organization: Organization) -> None:
    install(organization, "style", "guide", "support.guide", "support.prices", "sales.prices")
    install(organization, "old", "support.old", retired_at=clock.now())
    install(make_organization("elsewhere"), "style", "support.secret")


@pytest.mark.parametrize(
    ("seat_id", "settings", "ids"),
    [
        ("support.lead", {}, ["guide", "style", "support.guide", "support.prices"]),
        ("chief", {}, ["guide", "style"]),
        ("sales.lead", {}, ["guide", "sales.prices", "style"]),
        ("support.lead", {"resources": []}, []),
        ("support.lead", {"resources": ["style"]}, ["style"]),
        ("support.lead", {"resources": ["prices"]}, ["support.prices"]),
        ("support.lead", {"resources": ["guide"]}, ["guide"]),
        ("support.lead", {"resources": ["support.guide"]}, ["support.guide"]),
        ("support.lead", {"resources": ["sales.prices", "old", "nothing"]}, []),
        ("chief", {"resources": ["prices"]}, []),
    ],
)
def test_readable__are_the_organization_s_and_the_own_team_s(
    seat_id: str, settings: Any, ids: list[str], seat: Callable[..., Seat], owner: Player
) -> None:
    found = readable_documents(seat(seat_id, settings=settings))
    assert [document.document_id for document in found] == ids
