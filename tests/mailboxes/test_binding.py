"""Binding a whole roster of mailboxes: every problem at once, and what only shows across files."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailboxes.binding import bind_mailboxes
from mailboxes.declarations import KEYS, Binding, KindFacts, RoomTemplate
from workforce.tree.records import Record

KINDS = {
    "mailbox": KindFacts("mailbox", built_in=True, routes=True),
    "announcements": KindFacts("announcements", built_in=False, routes=False),
}
PROJECTS = "org/resources/projects.yaml"


def box(id: str, body: str = "", path: str = "", **declared: Any) -> Record:
    return Record(id, path or f"path/of/{id}", declared, body)


def projects(**declared: Any) -> Record:
    return Record("projects", PROJECTS, declared, "")


def bind(*records: Record, org: Record | None = None) -> Binding:
    return bind_mailboxes(
        records=records,
        projects=org,
        kinds=KINDS,
        hearing_seats=["eng.lead", "eng.analyst", "chief"],
        tool_names=["addTask", "completeTask"],
    )


def messages(binding: Binding) -> list[str]:
    return [refusal.message for refusal in binding.refusals]


def test_bind__nothing_yields_nothing() -> None:
    binding = bind()
    assert (binding.declarations, binding.template, binding.template_ids, binding.refusals) == (
        (),
        None,
        (),
        (),
    )
    assert binding.refusal_text() == ""


def test_bind__sorts_by_id() -> None:
    assert [mailbox.id for mailbox in bind(box("b.a"), box("a.b"), box("a.a")).declarations] == [
        "a.a",
        "a.b",
        "b.a",
    ]


def test_bind__reports_every_file_in_the_order_of_ids() -> None:
    binding = bind(box("b.x", flow=""), box("a.ok"), box("a.y", boards=["q", "q", "q"]), box("a.x", system=1))
    assert [refusal.id for refusal in binding.refusals] == ["a.x", "a.y", "a.y", "b.x"]
    assert [mailbox.id for mailbox in binding.declarations] == ["a.ok"]


def test_refusal_text__counts_problems_and_declarations() -> None:
    text = bind(box("b.x", flow=""), box("a.ok"), box("a.y", boards=["q", "q", "q"])).refusal_text()
    header, *lines = text.splitlines()
    assert header == "3 problems in 3 declarations; nothing was stored:"
    assert [line.split(": ")[0] for line in lines] == ["a.y", "a.y", "b.x"]


def test_refusal_text__is_one_line_a_problem_whatever_the_words() -> None:
    record = Record("a.x", "", {"bad\nkey\x00": 1, "x" * 500: 2}, "")
    text = bind(record).refusal_text()
    assert text.startswith("1 problem in 1 declaration;")
    assert len(text.splitlines()) == 2
    assert "x" * 101 not in text


def test_bind__refuses_an_id_declared_twice() -> None:
    binding = bind(
        box("a.x", path="one", flow=""), box("a.x", path="two", system=1), box("a.x", path="three")
    )
    assert messages(binding) == [
        "flow: is blank; name a mailbox kind, or drop the key for 'mailbox'",
        "is declared twice, at 'one' and at 'three'; keep one",
        "is declared twice, at 'one' and at 'two'; keep one",
    ]


def test_bind__refuses_two_boards_with_one_suffix() -> None:
    binding = bind(box("a.x", boards=["p!q", "p?q", "other"], boardActions=True))
    assert len(binding.refusals) == 1
    assert binding.refusals[0].id == "a.x"
    assert "'a.x.p!q', 'a.x.p?q'" in binding.refusals[0].message
    assert "_a_x_p_q" in binding.refusals[0].message


@pytest.mark.parametrize("opted_in", ["a.x", "a!x"])
def test_bind__refuses_an_opted_in_board_beside_any_other_of_its_suffix(opted_in: str) -> None:
    binding = bind(*(box(id, boards=["q"], boardActions=id == opted_in) for id in ("a.x", "a!x")))
    assert [refusal.id for refusal in binding.refusals] == [opted_in]
    assert "'a!x.q', 'a.x.q'" in binding.refusals[0].message


def test_bind__takes_boards_of_one_suffix_that_nobody_opted_in() -> None:
    assert bind(box("a.x", boards=["p!q", "p?q"])).refusals == ()


def test_bind__refuses_tool_names_that_models_do_not_take() -> None:
    fits = "q" * (64 - len("completeTask_a_x_"))
    assert bind(box("a.x", boards=[fits], boardActions=True)).refusals == ()
    assert bind(box("a.x", boards=[fits + "q"])).refusals == ()
    binding = bind(box("a.x", boards=[fits + "q", "ok", fits + "p"], boardActions=True))
    assert [refusal.id for refusal in binding.refusals] == ["a.x", "a.x"]
    assert all("65 characters" in message for message in messages(binding))


def test_bind__takes_a_template_file() -> None:
    binding = bind(
        box("eng.room", body="Be brief.", mintFor="projects", members=["eng.lead", "chief"]), box("a.x")
    )
    assert binding.refusals == ()
    assert [mailbox.id for mailbox in binding.declarations] == ["a.x"]
    assert binding.template == RoomTemplate("eng.room", ("eng.lead", "chief"), "Be brief.")
    assert binding.template_ids == ("eng.room",)


def test_bind__takes_a_template_without_seats() -> None:
    binding = bind(box("eng.room", mintFor="projects", instructions="Be brief."))
    assert binding.template == RoomTemplate("eng.room", (), "Be brief.")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"flow": "mailbox"}, "has 'flow' beside 'mintFor'"),
        (
            {"boards": None, "flow": 1, "boardActions": 1, "routing": 1},
            "'flow', 'boards', 'routing', 'boardActions'",
        ),
        ({"members": ["eng.lead", "Eng Lead", "a.b.c"]}, "'Eng Lead', 'a.b.c': no seat id"),
        ({"members": ["eng.lead", "eng.lead"]}, "more than once"),
        ({"members": ["eng.deaf"]}, "'eng.deaf': no seat in this load that hears posts"),
        ({"members": None}, "members: is empty"),
        ({"instructions": 3}, "instructions: must be a string"),
    ],
)
def test_bind__refuses_a_template_file(declared: dict[str, Any], words: str) -> None:
    binding = bind(box("eng.room", mintFor="projects", **declared))
    assert len(binding.refusals) == 1
    assert binding.refusals[0].id == "eng.room"
    assert words in binding.refusals[0].message
    assert binding.template is None
    assert binding.template_ids == ("eng.room",)


def test_bind__takes_projects() -> None:
    binding = bind(org=projects(talk={"seats": ["chief"], "charter": "Be brief."}))
    assert binding.refusals == ()
    assert binding.template == RoomTemplate(PROJECTS, ("chief",), "Be brief.")
    assert binding.template_ids == ()
    assert bind(org=projects(talk={"seats": []})).template == RoomTemplate(PROJECTS, (), "")


def test_bind__takes_projects_without_talk() -> None:
    binding = bind(box("eng.room", mintFor="projects"), org=projects())
    assert binding.refusals == ()
    assert binding.template == RoomTemplate("eng.room", (), "")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"tlak": {}}, "did you mean 'talk'?"),
        ({"talk": None}, "talk: is empty"),
        ({"talk": ["chief"]}, "talk: must be a mapping"),
        ({"talk": {}}, "talk.seats: is required"),
        ({"talk": {"seats": None}}, "talk.seats: is empty"),
        ({"talk": {"seats": "chief"}}, "talk.seats: must be a list of seat ids"),
        ({"talk": {"seats": [1]}}, "entry 1 is a number"),
        ({"talk": {"seats": ["Chief"]}}, "'Chief': no seat id"),
        ({"talk": {"seats": ["chief", "chief"]}}, "'chief' more than once"),
        ({"talk": {"seats": ["deaf"]}}, "'deaf': no seat in this load"),
        ({"talk": {"seats": [], "chater": ""}}, "did you mean 'charter'?"),
        ({"talk": {"seats": [], "charter": None}}, "talk.charter: is empty"),
        ({"talk": {"seats": [], "charter": 3}}, "talk.charter: must be a string"),
        ({"talk": {"seats": [], "charter": "\x00"}}, "talk.charter: holds a NUL"),
    ],
)
def test_bind__refuses_projects(declared: dict[str, Any], words: str) -> None:
    binding = bind(org=projects(**declared))
    assert [refusal.id for refusal in binding.refusals] == [PROJECTS]
    assert words in binding.refusals[0].message
    assert binding.template is None
    assert binding.refusal_text().startswith("1 problem in 1 declaration;")


def test_bind__reports_every_problem_of_projects_after_the_mailboxes() -> None:
    talk = {"seats": ["Bad", "chief", "chief", "deaf"], "charter": 1, "x": 1}
    binding = bind(box("a.x", flow=""), org=projects(talk=talk, other=1))
    assert [refusal.id for refusal in binding.refusals] == ["a.x"] + [PROJECTS] * 6
    assert binding.refusal_text().startswith("7 problems in 2 declarations;")


@pytest.mark.parametrize("broken", [{}, {"flow": "mailbox"}, {"member": 1}])
def test_bind__refuses_a_second_template_wherever_it_stands(broken: dict[str, Any]) -> None:
    rooms = [box("b.room", mintFor="projects", **broken), box("a.room", mintFor="projects")]
    binding = bind(*rooms, org=projects(talk={"seats": []}))
    assert f"there are 3 room templates: 'a.room', 'b.room', '{PROJECTS}'; keep one" in messages(binding)
    assert len(binding.refusals) == (2 if broken else 1)
    assert binding.template is None
    assert binding.template_ids == ("a.room", "b.room")


def test_bind__ten_thousand_in_a_moment() -> None:
    members = ["eng.lead", "eng.analyst", *(f"person-{number}" for number in range(8))]
    sound = [
        box(
            f"t{n % 500}.m{n}",
            members=members,
            boards=["a", "b"],
            boardActions=True,
            routing={"fallback": "eng.lead"},
        )
        for n in range(10_000)
    ]
    started = perf_counter()
    assert len(bind(*sound).declarations) == 10_000
    broken = [box(record.id, member=1, flow="x") for record in sound]
    assert len(bind(*broken).refusals) == 10_000
    assert perf_counter() - started < 20


JSON_LIKE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["mailbox", "eng.lead", "projects"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=12,
)
TALK = st.fixed_dictionaries({}, optional={"seats": JSON_LIKE, "charter": JSON_LIKE, "x": JSON_LIKE})
ROUTING = st.fixed_dictionaries({}, optional={"fallback": JSON_LIKE, "x": JSON_LIKE})
DECLARED = st.fixed_dictionaries(
    {},
    optional={key: JSON_LIKE | (ROUTING if key == "routing" else st.nothing()) for key in KEYS},
) | st.dictionaries(st.text() | st.integers() | st.none(), JSON_LIKE, max_size=4)


@settings(max_examples=200, deadline=None)
@given(
    declared=st.lists(st.tuples(st.sampled_from(["a.x", "a.y", "b.x"]), DECLARED, st.text()), max_size=4),
    org=st.none() | st.fixed_dictionaries({}, optional={"talk": TALK | JSON_LIKE, "x": JSON_LIKE}),
)
def test_bind__never_raises(
    declared: list[tuple[str, dict[Any, Any], str]], org: dict[str, Any] | None
) -> None:
    records = [Record(id, "", keys, body) for id, keys, body in declared]
    binding = bind(*records, org=None if org is None else projects(**org))
    text = binding.refusal_text()
    assert len(text.splitlines()) == (len(binding.refusals) + 1 if binding.refusals else 0)
    held = {mailbox.id for mailbox in binding.declarations} | set(binding.template_ids)
    assert {record.id for record in records} <= held | {refusal.id for refusal in binding.refusals}
