"""Any sequence of posts, answers, failures and aborts keeps the rules of routing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailboxes.models import Answer, Placement
from tests.conftest import Player
from tests.mailboxes.routes import FALLBACK, MEMBERS, Script, declare, fan_out, post, routes, speak, woken
from workforce import clock
from workforce.models import Item, Request, Seat, Session

#: A post judged for a member (None: for nobody), aborted or not; an answer to one of the last posts; a seat's
#: line; a member fired or hired again; routing taken out of the file or put back.
STEPS = st.one_of(
    st.tuples(st.just("post"), st.sampled_from([*MEMBERS, None]), st.booleans()),
    st.tuples(st.just("answer"), st.integers(0, 3), st.sampled_from([*MEMBERS, "a.stranger"])),
    st.tuples(st.just("line"), st.sampled_from(MEMBERS), st.none()),
    st.tuples(st.just("fire"), st.sampled_from(MEMBERS), st.booleans()),
    st.tuples(st.just("route"), st.booleans(), st.none()),
    st.tuples(st.just("again"), st.integers(0, 3), st.none()),
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=st.lists(STEPS, min_size=4, max_size=14))
def test_rules_hold(
    owner: Player, routed: Session, script: Script, steps: list[tuple[str, Any, Any]]
) -> None:
    box = fresh_box(routed)
    script.__init__()  # type: ignore[misc]
    model = Model(owner, box, script)
    for step in steps:
        model.take(*step)
    model.check()


def fresh_box(box: Session) -> Session:
    """The mailbox as it was opened: each example starts with an empty transcript and every seat hired."""
    box.requests.all().delete()
    box.children.all().delete()
    Session.objects.filter(pk=box.pk).update(item_seq=0, line_seq=0)
    Seat.objects.update(retired_at=None)
    declare(box)
    return Session.objects.get(pk=box.pk)


class Model:
    """What should be, beside what is."""

    def __init__(self, owner: Player, box: Session, script: Script) -> None:
        self.owner, self.box, self.script = owner, box, script
        self.posts: list[str] = []
        #: Where each post went, as the rules say it: how and to whom.
        self.expected: dict[str, tuple[str, str] | None] = {}
        self.hold: str | None = None
        self.gone: set[str] = set()
        self.routes = True
        self.answered: dict[str, str] = {}

    def take(self, what: str, first: Any, second: Any) -> None:
        getattr(self, f"_{what}")(first, second)

    def _post(self, judged: str | None, aborted: bool) -> None:
        held = self.hold if self.hold not in self.gone else None
        asked = self.routes and held is None and len(self.gone) < len(MEMBERS)

        def answer(question: Any) -> str | None:
            if aborted:
                Request.objects.filter(status="in_progress").update(abort_requested_at=clock.now())
            return judged

        self.script.answers = [answer]
        before = len(self.script.asked)
        post_id = post(self.owner, f"post {len(self.posts)}")
        assert len(self.script.asked) - before == asked
        self.posts.append(post_id)
        self.expected[post_id] = self._placed(held, judged) if self.routes else None
        if asked and aborted:
            self.expected[post_id] = None
            assert fan_out(post_id).status == "aborted"
        placed = self.expected[post_id]
        self.hold = placed[1] if placed is not None and placed[0] in ("evaluated", "fallback") else None
        if self.routes:
            assert woken(post_id) == ([placed[1]] if placed is not None and placed[1] else [])

    def _placed(self, held: str | None, judged: str | None) -> tuple[str, str]:
        if held is not None:
            return "held", held
        if judged is not None and judged not in self.gone:
            return "evaluated", judged
        return ("failed", "") if FALLBACK in self.gone else ("fallback", FALLBACK)

    def _answer(self, back: int, author: str) -> None:
        if back >= len(self.posts):
            return
        post_id = self.posts[-1 - back]
        lands = author in MEMBERS and post_id not in self.answered
        run = speak(self.box, author, f"answer of {author}", post_id=post_id)
        assert run.status == ("completed" if lands else "failed")
        if lands:
            self.answered[post_id] = author
            self._spoke(author)

    def _line(self, author: str, _: None) -> None:
        assert speak(self.box, author).status == "completed"
        self._spoke(author)

    def _spoke(self, author: str) -> None:
        if self.hold == author:
            self.hold = None

    def _fire(self, member: str, back: bool) -> None:
        Seat.objects.filter(seat_id=member).update(retired_at=None if back else clock.now())
        (self.gone.discard if back else self.gone.add)(member)

    def _route(self, on: bool, _: None) -> None:
        declare(self.box, FALLBACK if on else "")
        self.routes = on

    def _again(self, back: int, _: None) -> None:
        """The fan-out of a post that was placed runs once more, as after a crash: nothing changes."""
        if back >= len(self.posts) or self.expected[self.posts[-1 - back]] is None:
            return
        run = fan_out(self.posts[-1 - back])
        before = (len(routes(self.box)), Request.objects.count())
        Request.objects.filter(pk=run.pk).update(status="pending", attempts=0)
        from workforce.dispatch.run import try_run

        assert try_run(run.uid)
        assert (len(routes(self.box)), Request.objects.count()) == before

    def check(self) -> None:
        shown = {item["postId"]: (item["by"], item.get("member", "")) for item in routes(self.box)}
        wanted = {post_id: placed for post_id, placed in self.expected.items() if placed is not None}
        assert shown == wanted
        assert len(routes(self.box)) == len(wanted) == Placement.objects.filter(pk__in=self.posts).count()
        given = Answer.objects.filter(pk__in=self.posts).values_list("pk", "line__author")
        assert {str(post_id): author for post_id, author in given} == self.answered
        numbers = Item.objects.filter(session=self.box, line_seq__isnull=False).order_by("line_seq")
        assert list(numbers.values_list("line_seq", flat=True)) == list(range(1, numbers.count() + 1))


@pytest.mark.parametrize("member", MEMBERS)
def test_model__is_not_blind(owner: Player, routed: Session, script: Script, member: str) -> None:
    """The model finds a placement that the rules do not allow."""
    model = Model(owner, routed, script)
    model.take("post", member, False)
    Placement.objects.all().delete()
    with pytest.raises(AssertionError):
        model.check()
