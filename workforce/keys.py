"""The form of a key: ``wfk_<prefix>_<secret>``. See docs/identity.md."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

_PREFIX_BYTES = 6
_SECRET_BYTES = 32
# A secret may hold underscores of its own: only the first two separate.
_FORM = re.compile(r"wfk_([0-9a-f]{12})_([A-Za-z0-9_-]{43,128})")
_LONGEST = 4 + 12 + 1 + 128


@dataclass(frozen=True, slots=True)
class MintedKey:
    """A new key. ``text`` is shown once; ``prefix`` and ``digest`` are what is stored."""

    text: str = field(repr=False)
    prefix: str
    digest: str = field(repr=False)


def mint_key() -> MintedKey:
    """A key with a random prefix of 12 hexadecimal digits and a secret of 32 random bytes."""
    prefix, secret = secrets.token_hex(_PREFIX_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    return MintedKey(text=f"wfk_{prefix}_{secret}", prefix=prefix, digest=_digest(secret))


def parse_key(text: str) -> tuple[str, str] | None:
    """The prefix and the digest of the secret; None for whatever is not of a key's form. Never raises."""
    if len(text) > _LONGEST:
        return None
    found = _FORM.fullmatch(text)
    return (found[1], _digest(found[2])) if found else None


def digests_match(known: str, given: str) -> bool:
    """Whether two digests are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(known.encode(), given.encode())


def prefix_of(text: str) -> str:
    """The prefix meant by a person: the prefix itself, ``wfk_<prefix>_…`` or the whole key, in any case.

    Holds nothing of a secret, so it may be shown.
    """
    word = text.strip().lower().removeprefix("wfk_")
    return word.partition("_")[0][: 2 * _PREFIX_BYTES]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()
