"""What the site registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class WorkforceSiteConfig(AppConfig):
    name = "workforce_site"

    def ready(self) -> None:
        from workforce_site import checks  # noqa: F401
