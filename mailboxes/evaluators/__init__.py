"""Who finds the member whose job a post is: the built-in evaluators, and a deployment's own. See docs/routing.md."""

from __future__ import annotations

import math

import structlog
from django.conf import settings

from mailboxes.dotted import load_callable
from mailboxes.evaluators import model, offline
from mailboxes.evaluators.base import Evaluator, Question, Verdict
from workforce.errors import DomainError

__all__ = ["Question", "Verdict", "evaluate", "get_evaluator"]

SETTING = "ROUTE_EVALUATOR"
_BUILT_IN: dict[str, Evaluator] = {"offline": offline.evaluate, "model": model.evaluate}
_REASON = 300
log = structlog.get_logger(__name__)


def get_evaluator() -> Evaluator:
    """The evaluator of the setting ``ROUTE_EVALUATOR``. Raises ImproperlyConfigured."""
    named = settings.ROUTE_EVALUATOR
    built_in = _BUILT_IN.get(named)
    if built_in is not None:
        return built_in
    own: Evaluator = load_callable(SETTING, named, known=_BUILT_IN)
    return own


def evaluate(question: Question) -> Verdict:
    """Ask the evaluator; a failure of it is a verdict for none, with the reason.

    Slow (it may ask a model), so never inside a transaction.
    """
    try:
        return _read(get_evaluator()(question))
    except DomainError as refusal:
        return Verdict(None, _words(f"the evaluation failed: {refusal.code}: {refusal.words}"))
    except Exception as error:  # whatever a deployment's own evaluator does, the post is placed
        log.warning("evaluation_failed", reason=f"{type(error).__name__}: {error}"[:_REASON])
        return Verdict(None, f"the evaluation failed: {type(error).__name__}")


def _read(answer: object) -> Verdict:
    """The answer as a verdict that can be stored. Raises TypeError and ValueError for one that is none."""
    verdict = answer if isinstance(answer, Verdict) else Verdict(answer or None)  # type: ignore[arg-type]
    if not isinstance(verdict.member, str | None):
        raise TypeError(f"answered a {type(verdict.member).__name__}")
    score = None if verdict.score is None else float(verdict.score)
    if score is not None and not math.isfinite(score):
        raise ValueError("the score is no number")
    if verdict.member is None and not verdict.reason:
        return Verdict(None, "the evaluator chose none of the members", score)
    return Verdict(verdict.member, _words(verdict.reason), score)


def _words(reason: str) -> str:
    """The reason as every text column can hold it."""
    return reason[:_REASON].replace("\x00", "").encode(errors="replace").decode()
