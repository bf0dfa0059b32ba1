"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "boards"

    def ready(self) -> None:
        # Tasks must be imported wherever one is sent, or an eager call would look for a broker.
        from boards import tasks  # noqa: F401
        from boards.selectors.waiting import SORT, read_ready
        from boards.services.sweeping import settle_abandoned
        from boards.services.telling import tell_untold
        from workforce.dispatch.sweep import register_sweep
        from workforce.selectors.versions import register_topic

        register_sweep("settled", settle_abandoned)
        register_sweep("told", tell_untold)

        register_topic(SORT, read_ready, counted=True)
