"""The form of keys."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workforce.keys import MintedKey, digests_match, mint_key, parse_key, prefix_of

SECRET = "A_b-" * 10 + "xyz"
KEY = f"wfk_0123456789ab_{SECRET}"


def test_mint_key__has_the_documented_form() -> None:
    minted = mint_key()
    found = re.fullmatch(r"wfk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})", minted.text)
    assert found is not None
    assert found[1] == minted.prefix
    assert minted.digest == hashlib.sha256(found[2].encode()).hexdigest()


def test_mint_key__parses_back_whatever_the_secret_holds() -> None:
    for _ in range(300):  # every second secret holds an underscore
        minted = mint_key()
        assert parse_key(minted.text) == (minted.prefix, minted.digest)


def test_mint_key__no_two_alike() -> None:
    minted = [mint_key() for _ in range(300)]
    assert len({key.prefix for key in minted}) == len({key.digest for key in minted}) == 300


def test_minted_key__does_not_print_its_secret() -> None:
    minted = mint_key()
    assert repr(minted) == f"MintedKey(prefix='{minted.prefix}')"
    assert isinstance(minted, MintedKey)


def test_parse_key__splits_on_the_first_two_underscores_only() -> None:
    assert parse_key(KEY) == ("0123456789ab", hashlib.sha256(SECRET.encode()).hexdigest())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "wfk_",
        "wfk__",
        "wfk_0123456789ab_",
        "wfk_0123456789ab",
        f"wfk_0123456789AB_{SECRET}",
        f"wfk_0123456789a_{SECRET}",
        f"wfk_0123456789abc_{SECRET}",
        f"WFK_0123456789ab_{SECRET}",
        f" {KEY}",
        f"{KEY}\n",
        f"{KEY}\x00",
        f"{KEY}=",
        KEY[:-1],
        f"wfk_0123456789ab_{'é' * 43}",
        f"wfk_٠١٢٣٤٥٦٧٨٩ab_{SECRET}",
        f"wfk_0123456789ab_{chr(0xD800) * 43}",
        "wfk_0123456789ab_" + "a" * 10_000,
        "\x00" * 10_000,
    ],
)
def test_parse_key__rubbish_is_none(text: str) -> None:
    assert parse_key(text) is None


@given(st.text(st.characters(), max_size=200) | st.text(st.characters(codec=None), max_size=200))
def test_parse_key__never_raises(text: str) -> None:
    assert parse_key(text) is None
    parse_key(f"wfk_0123456789ab_{text}")


@given(st.integers(0, len(KEY) - 1), st.characters(codec=None))
def test_parse_key__one_other_letter_is_another_key_or_none(place: int, letter: str) -> None:
    changed = KEY[:place] + letter + KEY[place + 1 :]
    assert (parse_key(changed) == parse_key(KEY)) == (changed == KEY)


def test_digests_match__only_the_same() -> None:
    one, other = mint_key().digest, mint_key().digest
    assert digests_match(one, one)
    assert not digests_match(one, other)
    assert not digests_match(one, one[:-1])
    assert not digests_match(one, "é")


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("0123456789ab", "0123456789ab"),
        (" 0123456789AB ", "0123456789ab"),
        ("wfk_0123456789ab_…", "0123456789ab"),
        (KEY, "0123456789ab"),
        ("", ""),
        ("not a prefix at all", "not a prefix"),
    ],
)
def test_prefix_of__what_a_person_may_give(text: str, prefix: str) -> None:
    assert prefix_of(text) == prefix
