"""The people and services that own sessions."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """An account. Its ``username`` is the ``userId`` and the ``principal`` on the wire."""
