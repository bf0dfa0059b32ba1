"""The paths of actors, keys and digests, below ``api``."""

from __future__ import annotations

from django.urls import path

from messaging.digests.api import DigestsView
from messaging.inbox.api import actors, paths

assert paths  # its import registers the converter

urlpatterns = [
    path("actors", actors.ActorsView.as_view(), name="actors"),
    path("actors/<word:passname>/rotate", actors.RotateView.as_view(), name="actor-rotate"),
    *(
        path(
            f"actors/<word:passname>/{act.name}",
            actors.ActorView.as_view(act=act, describes=actors.described(act)),
            name=f"actor-{act.name}",
        )
        for act in actors.ACTS
    ),
    path("digests", DigestsView.as_view(), name="digests"),
    path("keys/<word:prefix>/revoke", actors.RevokeView.as_view(), name="key-revoke"),
]
