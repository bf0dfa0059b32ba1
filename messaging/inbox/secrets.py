"""Texts that look like an API key or a private key. Pure. See docs/inbox.md, "Secrets"."""

from __future__ import annotations

import re
from typing import Any

from messaging.inbox.payloads import leaves_of, path_of

_FORMS = {
    "a key of this service": r"wfk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}",
    "a private key": r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    "an AWS access key": r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])",
    "a GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})",
    "a GitLab token": r"glpat-[A-Za-z0-9_-]{20}",
    "a Slack token": r"xox[abeoprs]-[A-Za-z0-9-]{10}",
    "a Google API key": r"AIza[0-9A-Za-z_-]{35}",
    "a Stripe key": r"[rs]k_(?:live|test)_[0-9A-Za-z]{16}",
    # words joined by hyphens are no key: one has a digit somewhere in its first twenty letters
    "an API key": r"sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20}",
    "a Telegram bot token": r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    "a Hugging Face token": r"hf_[A-Za-z0-9]{34}",
    "an npm token": r"npm_[A-Za-z0-9]{36}",
}
#: Whatever stands before these, they are nothing else; any other form could be the end of a longer word.
_UNMISTAKABLE = {"a key of this service", "a private key", "a GitLab token", "a Google API key"}
_ANY = re.compile(
    "|".join(
        f"(?P<f{number}>{'' if name in _UNMISTAKABLE else '(?<![A-Za-z0-9_-])'}{form})"
        for number, (name, form) in enumerate(_FORMS.items())
    )
)
_NAMES = list(_FORMS)


def find_secret(payload: Any) -> tuple[str, str] | None:
    """The path of the first text that looks like a secret, and what it looks like; None when none does."""
    for place, text in leaves_of(payload):
        found = _ANY.search(text) if isinstance(text, str) else None
        if found is not None:
            return _without_secret(path_of(place)) or "payload", _NAMES[int(str(found.lastgroup)[1:])]
    return None


def _without_secret(path: str) -> str:
    """A path as a refusal may show it: a key of an object may be the secret itself."""
    return _ANY.sub("…", path)[:200] if len(path) < 2000 else ""
