"""A user's own workers: hired, forked, edited, fired, and refused with every problem at once."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest

from tests.conftest import Player
from tests.workforce.hires import furnish, hire
from workforce import clock
from workforce.errors import DomainError, InvalidInput, NotFound
from workforce.models import InventorySeat, Seat
from workforce.roster.hires import MAX_SIZE
from workforce.selectors.documents import readable_documents
from workforce.selectors.workers import access_worker, find_worker
from workforce.services.workers import edit_worker, fire_worker, fork_worker
from workforce.workererrors import StandardWorker, WorkerTaken

Standard = Callable[..., Seat]


@pytest.fixture(autouse=True)
def furnished(owner: Player) -> None:
    furnish(owner.organization)


def rows() -> list[dict[str, Any]]:
    return list(Seat.objects.order_by("pk").values())


def refused(error: type[DomainError], call: Callable[[], Any]) -> DomainError:
    """The call is refused so, and no seat is another than before."""
    before = rows()
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert rows() == before
    return caught.value


def faults(call: Callable[[], Any]) -> dict[str, str]:
    found = refused(InvalidInput, call).data["errors"]
    return {entry["path"]: entry["message"] for entry in found}


def test_hire__keeps_what_was_said(owner: Player, seat: Standard) -> None:
    seat("support.lead")
    settings = {
        "model": "offline:extract",
        "tools": ["read-document"],
        "boardTools": ["support.help.triage"],
        "delegates": ["support.lead"],
        "resources": ["handbook"],
        "discover": ["seats"],
    }
    hired = hire(owner, settings=settings)
    hired.refresh_from_db()
    assert (hired.organization, hired.owner, hired.kind) == (owner.organization, owner.user, "agent")
    assert (hired.description, hired.instructions) == ("Finds out why.", "You find out why.")
    assert (hired.settings, hired.team_instructions, hired.retired_at) == (settings, "", None)
    # The inventory is the organization's: a user's own worker is no row of it.
    assert not InventorySeat.objects.exists()


def test_hire__needs_an_id_only(owner: Player) -> None:
    hired = hire(owner, description=None, instructions="")
    assert (hired.kind, hired.description, hired.instructions, hired.settings) == ("agent", "", "", {})


@pytest.mark.parametrize("worker_id", ["a", "My Analyst", "sales.mine", "ö", "x" * 130, "hire", "_", "a~b"])
def test_hire__any_segment_of_a_path(owner: Player, worker_id: str) -> None:
    assert access_worker(caller=owner.caller, worker_id=hire(owner, worker_id).seat_id).seat_id == worker_id


@pytest.mark.parametrize(
    ("worker_id", "words"),
    [
        ("", "one segment"),
        (".", "one segment"),
        ("..", "one segment"),
        ("x" * 131, "more than 130 characters"),
        ("~me", "'~'"),
        ("a/b", "slash"),
        ("a\\b", "slash"),
        ("a\nb", "printable"),
        ("a\x00b", "printable"),
        ("a\ud800b", "printable"),
        (" a", "blanks"),
    ],
)
def test_hire__an_id_that_is_none(owner: Player, worker_id: str, words: str) -> None:
    assert words in faults(lambda: hire(owner, worker_id))["id"]


TOO_LONG = "x" * (MAX_SIZE // 2)


@pytest.mark.parametrize(
    ("said", "path", "words"),
    [
        ({"flow": "agnet"}, "flow", "unknown flow 'agnet' (did you mean 'agent'?); known: 'agent'"),
        ({"flow": "mailbox"}, "flow", "not one that a worker can have; known: 'agent'"),
        ({"flow": " "}, "flow", "is blank"),
        ({"description": " \n"}, "description", "is blank"),
        ({"description": "a\x00b"}, "description", "cannot be stored"),
        ({"description": 5}, "description", "must be a string"),
        ({"instructions": "a\ud800b"}, "instructions", "cannot be stored"),
        ({"description": TOO_LONG, "instructions": TOO_LONG}, "", "256 KiB (262,144 bytes)"),
        ({"settings": {"modle": "x"}}, "settings", "unknown key 'modle' (did you mean 'model'?)"),
        ({"settings": {f"key-{number}": 1 for number in range(101)}}, "settings", "more than 100 keys"),
        ({"settings": {"model": 5}}, "settings.model", "must be a string"),
        ({"settings": {"model": "a\x00b"}}, "settings", "NUL"),
        ({"settings": {"concurrency": 0}}, "settings.concurrency", "must be at least 1"),
        ({"settings": {"tools": None}}, "settings.tools", "is empty"),
        ({"settings": {"tools": ["read-document", "read-document"]}}, "settings.tools", "twice"),
        ({"settings": {"tools": ["raed-document"]}}, "settings.tools", "did you mean 'read-document'?"),
        ({"settings": {"tools": ["post-to-channel"]}}, "settings.tools", "'post-to-mailbox' now"),
        ({"settings": {"drains": ["support.help.triag"]}}, "settings.drains", "mean 'support.help.triage'?"),
        ({"settings": {"boardTools": ["support.help.gone"]}}, "settings.boardTools", "unknown board"),
        ({"settings": {"resources": ["hanbook"]}}, "settings.resources", "did you mean 'handbook'?"),
        ({"settings": {"resources": ["guide"]}}, "settings.resources", "unknown document 'guide'"),
        ({"settings": {"delegates": ["nobody"]}}, "settings.delegates", "unknown worker 'nobody'"),
        ({"settings": {"discover": ["sets"]}}, "settings.discover[0]", "must be 'mailboxes' or 'seats'"),
        ({"settings": {"id": "other"}}, "settings.id", "beside 'settings'"),
        ({"settings": {"flow": "agent"}}, "settings.flow", "beside 'settings'"),
        ({"settings": {"description": "x"}}, "settings.description", "beside 'settings'"),
        ({"settings": {"instructions": "x"}}, "settings.instructions", "stands in 'settings' too"),
        ({"instructions": "", "settings": {"instructions": "x"}}, "settings.instructions", "beside"),
        ({"settings": {"persona": "x"}}, "settings.persona", "'instructions'"),
        ({"settings": {"seatTools": []}}, "settings.seatTools", "'tools'"),
    ],
)
def test_hire__each_fault_in_words(owner: Player, said: dict[str, Any], path: str, words: str) -> None:
    found = faults(lambda: hire(owner, **said))
    assert list(found) == [path]
    assert words in found[path]


def test_hire__a_dotted_id_is_in_no_team(owner: Player) -> None:
    found = faults(lambda: hire(owner, "support.mine", settings={"resources": ["support.guide"]}))
    assert "unknown document" in found["settings.resources"]
    hired = hire(owner, "support.mine")
    assert [document.document_id for document in readable_documents(hired)] == ["handbook", "house-style"]


def test_hire__all_problems_together(owner: Player, seat: Standard) -> None:
    seat("support.lead")
    settings = {"modle": "x", "tools": ["nothing"], "concurrency": "many", "seatTools": []}
    found = faults(
        lambda: hire(owner, "support.lead", flow="agent", description="", settings=settings),
    )
    assert set(found) == {
        "id",
        "description",
        "settings",
        "settings.tools",
        "settings.concurrency",
        "settings.seatTools",
    }
    assert "standard worker" in found["id"]


def test_hire__very_many_faults_are_counted_and_long_ones_cut(owner: Player) -> None:
    refusal = refused(InvalidInput, lambda: hire(owner, settings={"tools": list(range(1000))}))
    assert len(refusal.data["errors"]) == 20
    assert refusal.words.endswith("; and 980 more")
    names = [f"tool-{number}" for number in range(10_000)]
    found = faults(lambda: hire(owner, settings={"tools": names}))
    assert len(found["settings.tools"]) < 5000


def test_hire__suggestions_do_not_hold_up_a_big_organization(owner: Player) -> None:
    Seat.objects.bulk_create(
        Seat(organization=owner.organization, seat_id=f"team.worker-{number}", kind="agent", description="x")
        for number in range(6000)
    )
    wanted = {"delegates": [f"team.wroker-{number}" for number in range(25)]}
    began = perf_counter()
    found = faults(lambda: hire(owner, settings=wanted))
    assert perf_counter() - began < 2  # 25 times 6,000 comparisons take longer
    assert "unknown worker 'team.wroker-0'" in found["settings.delegates"]


def test_hire__an_id_that_is_taken(owner: Player, stranger: Player, seat: Standard) -> None:
    seat("support.lead")
    hire(owner)
    assert "standard worker" in refused(WorkerTaken, lambda: hire(owner, "support.lead")).words
    assert "already" in refused(WorkerTaken, lambda: hire(owner)).words
    # What another user has is nobody's business.
    assert hire(stranger).owner == stranger.user


def test_hire__again_after_firing_is_the_same_seat(owner: Player, seat: Standard) -> None:
    seat("support.lead")
    fork_worker(caller=owner.caller, origin="support.lead", worker_id="again")
    first = fire_worker(caller=owner.caller, worker_id="again")
    back = hire(owner, "again", description="Another job.", instructions="", settings={"concurrency": 2})
    assert (back.pk, back.hired_at) == (first.pk, first.hired_at)
    assert (back.description, back.instructions, back.settings) == ("Another job.", "", {"concurrency": 2})
    assert (back.team_instructions, back.forked_team, back.retired_at) == ("", "", None)
    assert back.changed_at > first.changed_at


def test_hire__the_id_of_a_worker_that_left_the_tree(owner: Player, seat: Standard) -> None:
    gone = seat("support.lead", retired_at=clock.now())
    own = hire(owner, "support.lead")
    Seat.objects.filter(pk=gone.pk).update(retired_at=None)
    found = access_worker(caller=owner.caller, worker_id="support.lead")
    assert found == own


def test_lookup__ones_own_first_then_the_organizations(
    owner: Player, stranger: Player, outsider: Player, seat: Standard
) -> None:
    standard = seat("support.lead")
    own = seat("support.lead", owner=owner.user)
    seat("theirs", owner=stranger.user)

    def found(player: Player, worker_id: str) -> Seat | None:
        return find_worker(organization=player.organization, user=player.user, worker_id=worker_id)

    assert found(owner, "support.lead") == own
    assert found(stranger, "support.lead") == standard
    assert found(outsider, "support.lead") is None
    assert found(owner, "theirs") is None
    Seat.objects.filter(pk=own.pk).update(retired_at=clock.now())
    assert found(owner, "support.lead") == standard


def test_fork__copies_a_standard_worker_with_its_team(owner: Player, seat: Standard) -> None:
    seat(
        "support.lead",
        instructions="Lead.",
        team_instructions="Be kind.",
        settings={"resources": ["guide"], "tools": ["read-document"]},
    )
    made = fork_worker(caller=owner.caller, origin="support.lead", worker_id="mine")
    assert (made.owner, made.kind, made.description) == (owner.user, "agent", "Leads.")
    assert (made.team_instructions, made.instructions) == ("Be kind.", "Lead.")
    assert [document.document_id for document in readable_documents(made)] == ["support.guide"]
    again = fork_worker(caller=owner.caller, origin="mine", worker_id="second")
    assert (again.settings, again.team) == (made.settings, "support")
    assert edit_worker(caller=owner.caller, worker_id="second", description="Other.").team == "support"


def test_fork__is_judged_like_a_hire(owner: Player, seat: Standard) -> None:
    seat("support.lead", settings={"tools": ["retired-tool"]})
    found = faults(lambda: fork_worker(caller=owner.caller, origin="support.lead", worker_id="~x"))
    assert set(found) == {"id", "settings.tools"}
    seat("support.other")
    refused(
        WorkerTaken,
        lambda: fork_worker(caller=owner.caller, origin="support.other", worker_id="support.other"),
    )


def test_edit__changes_what_is_given(owner: Player) -> None:
    old = hire(owner, settings={"concurrency": 2, "tools": ["discover"]})
    edit = edit_worker(caller=owner.caller, worker_id=old.seat_id, description="New.")
    assert (edit.description, edit.instructions, edit.settings) == ("New.", old.instructions, old.settings)
    assert edit.changed_at > old.changed_at
    edit = edit_worker(
        caller=owner.caller, worker_id=old.seat_id, instructions="", settings={"concurrency": 3}
    )
    edit.refresh_from_db()
    assert (edit.description, edit.instructions, edit.settings) == ("New.", "", {"concurrency": 3})


def test_edit__refuses_like_a_hire(owner: Player) -> None:
    hire(owner)
    settings = {"modle": "x", "tools": ["x"]}
    found = faults(
        lambda: edit_worker(
            caller=owner.caller, worker_id="my-analyst", description=" ", flow="x", settings=settings
        )
    )
    assert set(found) == {"flow", "description"}  # without a kind nothing can be said of its settings
    found = faults(lambda: edit_worker(caller=owner.caller, worker_id="my-analyst", settings=settings))
    assert set(found) == {"settings", "settings.tools"}


VERBS: dict[str, Callable[[Player, str], Any]] = {
    "edit": lambda player, worker: edit_worker(caller=player.caller, worker_id=worker, description="New."),
    "fire": lambda player, worker: fire_worker(caller=player.caller, worker_id=worker),
}


@pytest.mark.parametrize("verb", list(VERBS))
def test_standard_worker__is_neither_edited_nor_fired(owner: Player, seat: Standard, verb: str) -> None:
    seat("support.lead")
    words = refused(StandardWorker, lambda: VERBS[verb](owner, "support.lead")).words
    assert "fork it" in words


@pytest.mark.parametrize("verb", [*VERBS, "fork"])
@pytest.mark.parametrize(
    "there", ["never was", "another user's", "another organization's", "fired", "retired"]
)
def test_worker__that_is_not_there_in_the_same_words(
    owner: Player, stranger: Player, outsider: Player, seat: Standard, verb: str, there: str
) -> None:
    match there:
        case "another user's":
            hire(stranger, "theirs")
        case "another organization's":
            seat("theirs", organization=outsider.organization)
        case "fired":
            hire(owner, "theirs")
            fire_worker(caller=owner.caller, worker_id="theirs")
        case "retired":
            seat("theirs", retired_at=clock.now())
    verbs = {
        **VERBS,
        "fork": lambda player, worker: fork_worker(caller=player.caller, origin=worker, worker_id="x"),
    }
    assert refused(NotFound, lambda: verbs[verb](owner, "theirs")).words == "there is no worker 'theirs'"


def test_worker__that_is_not_there_names_the_nearest_of_ones_own(owner: Player, stranger: Player) -> None:
    hire(stranger, "analyst-one")
    hire(owner, "analyst-two")
    words = refused(NotFound, lambda: fire_worker(caller=owner.caller, worker_id="analyst-on")).words
    assert words == "there is no worker 'analyst-on'; did you mean 'analyst-two'?"
    for nonsense in ("a\x00b", "\ud800", "x" * 5000):
        refused(NotFound, lambda: fire_worker(caller=owner.caller, worker_id=nonsense))  # noqa: B023


def test_fire__retires_the_seat(owner: Player) -> None:
    hired = hire(owner)
    fired = fire_worker(caller=owner.caller, worker_id=hired.seat_id)
    hired.refresh_from_db()
    assert hired.retired_at == fired.retired_at is not None
