"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "boards"

    def ready(self) -> None:
        # Tasks must be imported wherever one is sent, or an eager call would look for a broker.
        from boards import tasks  # noqa: F401
        from boards.drains.draining import drain_boards
        from boards.drains.ledger import BoardLedger
        from boards.drains.minding import mind_held
        from boards.drains.tools import offer_board_tools
        from boards.selectors.naming import live_board_ids
        from boards.selectors.owing import owes_rows
        from boards.selectors.waiting import SORT, read_ready
        from boards.services.sweeping import settle_abandoned
        from boards.services.tallying import tally_ended
        from boards.services.telling import tell_untold
        from boards.toolnames import BOARD_TOOLS
        from workforce.dispatch.sweep import register_sweep
        from workforce.kinds.tasks import register_ledger
        from workforce.knownboards import register_boards
        from workforce.selectors.shifts import register_owing
        from workforce.selectors.versions import register_topic
        from workforce.toolsets import register_toolset

        register_boards(read=live_board_ids, tools=BOARD_TOOLS)
        register_ledger(BoardLedger())
        register_toolset("boards", offer_board_tools)
        # What lapsed and is still to be run is kept before anything that lapsed is settled or taken.
        register_sweep("minded", mind_held)
        register_sweep("settled", settle_abandoned)
        register_sweep("told", tell_untold)
        register_sweep("tallied", tally_ended)
        register_sweep("drained", drain_boards)

        register_owing("rows", owes_rows)
        register_topic(SORT, read_ready, counted=True)
