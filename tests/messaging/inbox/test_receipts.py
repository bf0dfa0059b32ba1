"""The machine of receipts, cell by cell."""

from __future__ import annotations

import itertools

import pytest

from messaging.inbox.receipts import CLOSED, OPEN, TARGETS, Act, State, Type, Verdict, acts_on, is_open, judge

A, C, R = Act.ACKNOWLEDGE, Act.COMPLETE, Act.ARCHIVE
MOVE, DONE, CLOSED_ALREADY = Verdict.MOVE, Verdict.DONE, Verdict.ALREADY_CLOSED

#: (state, type): what acknowledge, complete and archive come to.
TABLE = {
    (State.PENDING, Type.REQUEST): (Verdict.NOT_ACKNOWLEDGEABLE, MOVE, MOVE),
    (State.PENDING, Type.INFO): (MOVE, MOVE, MOVE),
    (State.PENDING, Type.MESSAGE): (MOVE, MOVE, MOVE),
    (State.DELIVERED, Type.REQUEST): (Verdict.NOT_ACKNOWLEDGEABLE, MOVE, MOVE),
    (State.DELIVERED, Type.INFO): (MOVE, MOVE, MOVE),
    (State.DELIVERED, Type.MESSAGE): (MOVE, MOVE, MOVE),
    **{(State.ACKNOWLEDGED, type): (DONE, CLOSED_ALREADY, CLOSED_ALREADY) for type in Type},
    **{(State.COMPLETED, type): (CLOSED_ALREADY, DONE, CLOSED_ALREADY) for type in Type},
    **{(State.ARCHIVED, type): (CLOSED_ALREADY, CLOSED_ALREADY, DONE) for type in Type},
}


def test_table__is_whole() -> None:
    assert set(TABLE) == set(itertools.product(State, Type))
    assert set(State) == OPEN | CLOSED
    assert set(TARGETS) == set(Act)
    assert set(TARGETS.values()) == CLOSED


@pytest.mark.parametrize(("state", "type"), list(TABLE))
@pytest.mark.parametrize(("number", "act"), list(enumerate(Act)))
@pytest.mark.parametrize("by_person", [False, True])
def test_judge__each_cell(state: State, type: Type, number: int, act: Act, by_person: bool) -> None:
    assert judge(act, state=state, type=type, by_person=by_person) is TABLE[state, type][number]


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("act", list(Act))
def test_judge__an_approval_needs_a_person(state: State, act: Act) -> None:
    by_agent = judge(act, state=state, type=Type.REQUEST, approval=True)
    by_person = judge(act, state=state, type=Type.REQUEST, approval=True, by_person=True)
    plain = judge(act, state=state, type=Type.REQUEST)
    assert by_person is plain
    assert by_agent is (Verdict.NEEDS_A_PERSON if act is C and state in OPEN else plain)


def test_acts_on__are_those_that_move() -> None:
    assert acts_on(state=State.PENDING, type=Type.REQUEST) == [C, R]
    assert acts_on(state=State.DELIVERED, type=Type.INFO) == [A, C, R]
    assert acts_on(state=State.DELIVERED, type=Type.REQUEST, approval=True) == [R]
    assert acts_on(state=State.COMPLETED, type=Type.INFO) == []
    assert [state for state in State if is_open(state)] == [State.PENDING, State.DELIVERED]
