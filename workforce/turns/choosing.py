"""One closed choice, asked of a language model. See docs/turns.md, "A closed choice"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workforce.turns.errors import EmptyAnswer, ModelNotConfigured
from workforce.turns.fences import Fence
from workforce.turns.limits import Limits, turn_limits
from workforce.turns.prompting import lines_as_data

#: A choice is one short answer: what takes longer is worth less than the fallback.
SECONDS = 60
NONE = "none"


def choose(
    *, model: str | None, question: str, choices: Mapping[str, str], lines: Sequence[Mapping[str, str]]
) -> str | None:
    """The name of the choice that a model picks for the lines (``from``, ``text``), or None when it picks none.

    ``question`` and ``choices`` (names to descriptions) are the operators' words; the lines are data. No call is
    made without choices. Raises a refusal for whatever goes wrong with the model, as a turn does.
    """
    if not choices:
        return None
    try:
        from workforce.turns.engine import Exchange, converse
    except ImportError as error:
        raise ModelNotConfigured(f"models need the extra 'agents': {error.name} is not installed") from None
    fence = Fence()
    exchange = Exchange(
        model=model,
        instructions=[question, _listed(choices), fence.rule],
        prompt="\n".join(["The lines, oldest first:", fence.wrap(lines_as_data(lines)), "Which choice?"]),
        limits=Limits(model_calls=1, tool_calls=0, seconds=min(SECONDS, turn_limits().seconds)),
    )
    try:
        return picked(converse(exchange), choices)
    except EmptyAnswer:
        return None


def picked(answer: str, choices: Mapping[str, str]) -> str | None:
    """The choice that an answer names and does nothing else; None when it says anything more or else."""
    said = answer.strip().strip("\"'`*.").strip()
    names = {name.casefold(): name for name in choices}
    return said if said in choices else names.get(said.casefold())


def _listed(choices: Mapping[str, str]) -> str:
    lines = [f"- {name}: {' '.join(description.split())}" for name, description in choices.items()]
    rule = f"Answer with the name of one choice and nothing else; answer '{NONE}' when none of them fits."
    return "\n".join(["The choices:", *lines, rule])
