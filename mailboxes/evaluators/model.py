"""The evaluator that asks a language model."""

from __future__ import annotations

from django.conf import settings

from mailboxes.evaluators.base import Question, Verdict

_QUESTION = (
    "The last of the lines is a new post. Which of these colleagues should take it, judged by what each one does? "
    "Choose none when it is nobody's job."
)


def evaluate(question: Question) -> Verdict:
    """The model's choice. Raises what the model's failure is."""
    # Here: the engine of turns is an extra, and is loaded by the first post that needs it.
    from workforce.turns.choosing import choose

    member = choose(
        model=settings.ROUTE_MODEL or None,
        question=_QUESTION,
        choices=question.choices,
        lines=[{"from": line["from"], "text": line["text"]} for line in (*question.recent, question.post)],
    )
    return Verdict(member, "" if member else "the model chose none of the members")
