"""Rows for tests, made by the services that make them in earnest."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from workforce.models import Actor, Organization, User
from workforce.services.actors import add_actor
from workforce.services.organizations import create_organization, ensure_user

_numbers = itertools.count(1)


def make_organization(slug: str | None = None, *, name: str = "") -> Organization:
    """An organization, under a slug of its own unless one is given."""
    return create_organization(slug=slug or f"org-{next(_numbers)}", name=name)


def make_user(username: str | None = None, **fields: Any) -> User:
    """A user, under a name of its own unless one is given; ``fields`` are set on the row."""
    user = ensure_user(username=username or f"user-{next(_numbers)}")
    for name, value in fields.items():
        setattr(user, name, value)
    if fields:
        user.save(update_fields=list(fields))
    return user


def make_actor(
    *,
    grants: Iterable[str] = (),
    organization: Organization | None = None,
    user: User | None = None,
    passname: str | None = None,
    **options: Any,
) -> tuple[Actor, str]:
    """An actor and the text of its key; ``options`` are those of ``add_actor``."""
    actor, _, text = add_actor(
        organization=organization or make_organization(),
        passname=passname or f"actor-{next(_numbers)}",
        user=user or make_user(),
        grants=grants,
        **options,
    )
    return actor, text
