"""The eight keys of a MAILBOX.md: every rule, every shape of every key, and the order of the rules."""

from __future__ import annotations

from typing import Any

import pytest

from mailboxes.binding import bind_mailboxes
from mailboxes.declarations import KEYS, Binding, KindFacts, MailboxDeclaration
from workforce.refusals import Refusal
from workforce.tree.records import Record

KINDS = {
    "mailbox": KindFacts("mailbox", built_in=True, routes=True),
    "announcements": KindFacts("announcements", built_in=False, routes=False),
}
TOOLS = ["addTask", "completeTask"]
NUL, SURROGATE = "a\x00b", "a\ud800b"


def bind(declared: dict[Any, Any], body: str = "", kinds: dict[str, KindFacts] = KINDS) -> Binding:
    record = Record("eng.support", "teams/eng/mailboxes/support", declared, body)
    return bind_mailboxes(
        records=[record],
        projects=None,
        kinds=kinds,
        hearing_seats={"eng.lead", "eng.analyst"},
        tool_names=TOOLS,
    )


def refused(declared: dict[Any, Any], body: str = "") -> str:
    """The one message that refuses the record; nothing is declared beside it."""
    binding = bind(declared, body)
    assert binding.declarations == ()
    assert [refusal.id for refusal in binding.refusals] == ["eng.support"]
    return binding.refusals[0].message


def declared(keys: dict[str, Any], body: str = "") -> MailboxDeclaration:
    binding = bind(keys, body)
    assert binding.refusals == ()
    assert binding.refusal_text() == ""
    return binding.declarations[0]


def test_bind__takes_defaults() -> None:
    assert declared({"description": "Ask here."}) == MailboxDeclaration(
        id="eng.support",
        kind="mailbox",
        description="Ask here.",
        members=(),
        charter="",
        boards=(),
        fallback=None,
        board_actions=False,
    )


def test_bind__takes_every_key() -> None:
    mailbox = declared(
        {
            "flow": "mailbox",
            "description": "",
            "members": ["eng.lead", "dana", "eng.analyst"],
            "boards": ["triage", "later"],
            "routing": {"fallback": "eng.lead"},
            "boardActions": True,
        },
        body="Be kind.\n",
    )
    assert mailbox == MailboxDeclaration(
        id="eng.support",
        kind="mailbox",
        description="",
        members=("eng.lead", "dana", "eng.analyst"),
        charter="Be kind.\n",
        boards=("triage", "later"),
        fallback="eng.lead",
        board_actions=True,
    )
    assert mailbox.board_ids == ("eng.support.triage", "eng.support.later")


def test_bind__takes_a_custom_kind() -> None:
    assert declared({"flow": "announcements", "boards": []}).kind == "announcements"


@pytest.mark.parametrize(
    ("keys", "body", "charter"),
    [
        ({}, "", ""),
        ({}, " \n\t", ""),
        ({}, "\n Answer in a day.\n", "\n Answer in a day.\n"),
        ({"instructions": "Answer."}, "", "Answer."),
        ({"instructions": "Answer."}, " \n", "Answer."),
        ({"instructions": ""}, "", ""),
    ],
)
def test_bind__settles_the_charter(keys: dict[str, Any], body: str, charter: str) -> None:
    assert declared(keys, body).charter == charter


def test_bind__refuses_system_and_id() -> None:
    assert "'system' is not something a mailbox declares" in refused({"system": None})
    assert "'id' is not something a mailbox declares" in refused({"id": "eng.support"})


def test_bind__refuses_unknown_keys() -> None:
    message = refused({"member": ["a"], "fallbck": 1, 7: "x", "two\nlines": 1, None: 2})
    assert "'member' (did you mean 'members'?)" in message
    assert "'fallbck'" in message
    assert "'7'" in message
    assert "'None'" in message
    assert r"'two\nlines'" in message
    assert all(f"'{key}'" in message for key in KEYS)
    assert "\n" not in message


@pytest.mark.parametrize(
    ("key", "near"), [("Members", "members"), ("boardactions", "boardActions"), ("mint_for", "mintFor")]
)
def test_bind__suggests_the_near_key(key: str, near: str) -> None:
    assert f"did you mean '{near}'?" in refused({key: []})


def test_bind__refuses_a_second_charter() -> None:
    assert "beside a body" in refused({"instructions": "x"}, body="y")
    assert "beside a body" in refused({"instructions": None}, body="y")


EMPTY = "is empty; write a value or drop the key"
SHAPES = [
    ("members", None, EMPTY),
    ("members", "eng.lead", "must be a list of strings, not a string"),
    ("members", {"a": 1}, "not a mapping"),
    ("members", ["a", 3], "entry 2 is a number"),
    ("members", ["a", None], "entry 2 is empty"),
    ("members", [["a"]], "entry 1 is a list"),
    ("members", ["a", ""], "empty entry"),
    ("members", [" "], "empty entry"),
    ("members", ["m" * 131], "longer than 130"),
    ("members", ["a", "b", "a", "b"], "'a', 'b' more than once"),
    ("members", [NUL], "NUL"),
    ("members", [SURROGATE], "surrogate"),
    ("description", None, EMPTY),
    ("description", 3, "must be a string, not a number"),
    ("description", ["x"], "must be a string, not a list"),
    ("description", NUL, "NUL"),
    ("boards", None, EMPTY),
    ("boards", "triage", "must be a list of board names, not a string"),
    ("boards", {"triage": None}, "not a mapping"),
    ("boards", ["triage", 1], "entry 2 is a number"),
    ("boards", ["a b", "x.y", "fine"], "'a b' has white space"),
    ("boards", ["a b", "x.y", "fine"], "'x.y' has '.'"),
    ("instructions", None, EMPTY),
    ("instructions", 3, "must be a string, not a number"),
    ("instructions", SURROGATE, "surrogate"),
    ("boardActions", None, EMPTY),
    ("boardActions", "true", "must be true or false, not a string"),
    ("boardActions", 1, "must be true or false, not a number"),
    ("boardActions", [], "must be true or false, not a list"),
    ("routing", None, EMPTY),
    ("routing", "eng.lead", "must be a mapping with one key"),
    ("routing", ["eng.lead"], "must be a mapping with one key"),
    ("routing", True, "must be a mapping with one key"),
    ("routing", {}, "has no fallback"),
    ("routing", {"fallbak": "eng.lead"}, "did you mean 'fallback'?"),
    ("routing", {"fallback": "eng.lead", "by": 1}, "unknown key 'by'"),
    ("routing", {"fallback": None}, "is empty"),
    ("routing", {"fallback": 3}, "must be the name of a member, not a number"),
    ("routing", {"fallback": " "}, "is blank"),
    ("flow", "", "is blank"),
    ("flow", " \t", "is blank"),
    ("flow", None, EMPTY),
    ("flow", 3, "must be the name of a mailbox kind, not a number"),
    ("flow", {"kind": "mailbox"}, "not a mapping"),
    ("flow", " mailbox", "unknown flow ' mailbox'"),
    ("flow", "Mailbox", "did you mean 'mailbox'?"),
    ("flow", "anouncements", "did you mean 'announcements'?"),
    ("flow", "agent", "known: 'announcements', 'mailbox'"),
    ("flow", "channel", "'channel' is what mailboxes were called before"),
    ("mintFor", None, EMPTY),
    ("mintFor", 3, "must be the name of a collection, not a number"),
    ("mintFor", " ", "is blank"),
    ("mintFor", "project", "did you mean 'projects'?"),
    ("mintFor", "threads", "known: 'projects'"),
]


@pytest.mark.parametrize(("key", "value", "words"), SHAPES)
def test_bind__refuses_the_shape(key: str, value: Any, words: str) -> None:
    message = refused({key: value})
    assert words in message
    assert message.startswith(key)


def test_bind__names_every_repeated_board_on_its_own_line() -> None:
    binding = bind({"boards": ["a", "b", "a", "b", "a", "c"]})
    assert [refusal.message.split(";")[0] for refusal in binding.refusals] == [
        "boards: lists 'a' more than once",
        "boards: lists 'b' more than once",
        "boards: lists 'a' more than once",
    ]


def test_bind__refuses_a_body_that_cannot_be_stored() -> None:
    assert refused({}, body=NUL).startswith("its body")


def test_bind__never_falls_back_to_the_built_in() -> None:
    assert bind({"flow": "standup"}).declarations == ()


def test_bind__refuses_the_old_kind_even_when_registered() -> None:
    kinds = {**KINDS, "channel": KindFacts("channel", built_in=False, routes=False)}
    assert len(bind({"flow": "channel"}, kinds=kinds).refusals) == 1


def test_bind__refuses_what_a_custom_kind_cannot_do() -> None:
    assert "cannot hold boards" in refused({"flow": "announcements", "boards": ["triage"]})
    routing = {"fallback": "eng.lead"}
    assert "cannot route" in refused({"flow": "announcements", "members": ["eng.lead"], "routing": routing})


def test_bind__takes_routing_on_a_custom_kind_that_routes() -> None:
    kinds = {**KINDS, "triage": KindFacts("triage", built_in=False, routes=True)}
    keys = {"flow": "triage", "members": ["eng.lead"], "routing": {"fallback": "eng.lead"}}
    assert bind(keys, kinds=kinds).declarations[0].fallback == "eng.lead"


def test_bind__refuses_a_fallback_outside_the_members() -> None:
    message = refused({"members": ["eng.analyst"], "routing": {"fallback": "eng.analist"}})
    assert "did you mean 'eng.analyst'?" in message
    assert "known: none" in refused({"routing": {"fallback": "eng.lead"}})


def test_bind__refuses_a_fallback_that_hears_nothing() -> None:
    message = refused({"members": ["dana"], "routing": {"fallback": "dana"}})
    assert "'dana' has no seat in this load that hears posts" in message


#: One breach of each rule, in the order in which the rules are tried. Each is free of the later breaches.
BREACHES: list[tuple[dict[str, Any], str]] = [
    ({"system": True}, "'system' is not"),
    ({"id": "x"}, "'id' is not"),
    ({"member": 1}, "unknown key"),
    ({"instructions": None}, "'instructions' stands beside"),
    ({"members": "x"}, "members:"),
    ({"description": 1}, "description:"),
    ({"mintFor": "threads"}, "mintFor:"),
    ({"boards": "x"}, "boards:"),
    ({"boardActions": "x"}, "boardActions:"),
    ({"routing": "x"}, "routing:"),
    ({"flow": 3}, "flow:"),
]


@pytest.mark.parametrize("first", range(len(BREACHES)))
def test_bind__reports_the_first_broken_rule_only(first: int) -> None:
    broken = {key: value for keys, _ in reversed(BREACHES[first:]) for key, value in keys.items()}
    assert refused(broken, body="A charter.").startswith(BREACHES[first][1])


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"boards": "x", "instructions": 1}, "boards"),
        ({"instructions": 1, "boardActions": 1}, "instructions"),
        ({"flow": "standup", "boards": ["a"], "routing": {"fallback": "x"}}, "unknown flow"),
        ({"flow": "announcements", "boards": ["a"], "routing": {"fallback": "x"}}, "cannot hold boards"),
        ({"flow": "announcements", "routing": {"fallback": "x"}}, "cannot route"),
        ({"routing": {"fallback": "x"}}, "unknown member"),
        ({"boards": ["a b", "c", "c"]}, "white space"),
    ],
)
def test_bind__reports_the_first_broken_rule_of_the_later_ones(keys: dict[str, Any], words: str) -> None:
    assert words in refused(keys)


def test_refusal__sorts_by_id() -> None:
    assert sorted([Refusal("b", "x"), Refusal("a", "y")])[0].id == "a"
