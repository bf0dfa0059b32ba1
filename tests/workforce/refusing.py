"""Asserting that a refused call about organizations, actors and keys wrote nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db.models import Model

from workforce.models import Actor, Key, Membership, Organization, User

MODELS: tuple[type[Model], ...] = (Organization, User, Membership, Actor, Key)


def identity_rows() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of this page, with all columns."""
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in MODELS}


@contextmanager
def refused(error: type[Exception], *words: str) -> Iterator[None]:
    """The block raises ``error``, says each of ``words``, and leaves every row as it was."""
    before = identity_rows()
    with pytest.raises(error) as caught:
        yield
    assert identity_rows() == before
    for word in words:
        assert word in str(caught.value)
