"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class MessagingConfig(AppConfig):
    name = "messaging"

    def ready(self) -> None:
        from messaging.limits import message_limits
        from messaging.services.answering import Carrier
        from messaging.tools.messages import offer_messages
        from workforce.kinds.messages import register_postman
        from workforce.toolsets import register_toolset

        message_limits()  # wrong ones end the start
        register_postman(Carrier())
        register_toolset("messages", offer_messages)
        from messaging.inbox.selectors.waiting import SORT, read_queues
        from messaging.inbox.services.incidents import count_refusal
        from messaging.inbox.services.keeping import keep_change
        from workforce.selectors.versions import register_topic
        from workforce.services.noticing import register_on_change, register_on_refusal

        register_topic(SORT, read_queues)
        register_on_change(keep_change)
        register_on_refusal(count_refusal)
        self._register_sweeps()
        self._register_delegation()
        self._register_external()

    def _register_sweeps(self) -> None:
        from messaging.inbox.services.retaining import sweep_retained
        from messaging.tasks import sweep_digests
        from workforce.dispatch.sweep import register_sweep

        register_sweep("retained", sweep_retained)
        register_sweep("digests", sweep_digests)

    def _register_delegation(self) -> None:
        from boards.services.announcing import register_announcer
        from messaging.delegation.board.announcing import announce_ending
        from messaging.delegation.board.tools import offer_conversation_board
        from messaging.delegation.kind import CoordinatorKind
        from messaging.delegation.services.landing import close_late_rounds, give_up_lost
        from messaging.delegation.tools import LIST_TOOLS, offer_delegation
        from workforce.dispatch.sweep import register_sweep
        from workforce.kinds import register_kind
        from workforce.toolsets import register_tool_name, register_toolset

        register_kind(CoordinatorKind())
        register_toolset("delegation", offer_delegation)
        register_toolset("conversation-board", offer_conversation_board)
        register_announcer(announce_ending)
        for name in LIST_TOOLS:
            register_tool_name(name)
        register_sweep("rounds", close_late_rounds)
        register_sweep("delegates", give_up_lost)

    def _register_external(self) -> None:
        from boards.services.announcing import register_announcer
        from messaging.external.kind import ExternalKind
        from messaging.external.selectors.owing import owes_answers
        from messaging.external.services.delegated import hear_changed
        from messaging.external.services.refusing import LANDING, hear_ended, settle_lost
        from messaging.external.services.replying import hear_sent
        from messaging.external.services.watching import give_up_unreachable
        from messaging.inbox.hooks import register_on_sent
        from workforce.dispatch.endings import register_on_ended
        from workforce.dispatch.sweep import register_sweep
        from workforce.kinds import register_kind
        from workforce.selectors.shifts import register_owing

        register_kind(ExternalKind())
        register_owing("outside", owes_answers)
        register_on_sent(hear_sent)
        register_on_ended(LANDING, hear_ended)
        register_sweep("replies", settle_lost)
        register_announcer(hear_changed)
        register_sweep("outside", give_up_unreachable)
