"""The base of the views of an inbox: who calls, and what it can reach."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from rest_framework.request import Request as HttpCall

from messaging.inbox.errors import nothing_here
from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox
from messaging.inbox.selectors.inboxes import access_inbox, inboxes_of
from messaging.inbox.services.incidents import count_refusal
from workforce.api.callers import check_named_user, credential_caller
from workforce.api.views import ApiView
from workforce.callers import Caller
from workforce.errors import NotAllowed, NotGranted, Unauthenticated
from workforce.models import Membership
from workforce.services import idempotency
from workforce.services.noticing import KeyRefusal

_NO_KEY = "an inbox asks for a key, in open mode too: 'Authorization: Bearer wfk_…'"
_NO_LOGIN = (
    "setting up asks for a browser session of an owner or operator, in open mode too; or use 'manage.py inbox' "
    "and 'manage.py actor'"
)


class KeyView(ApiView):
    """A view that asks for a key, whatever the mode."""

    @cached_property
    def caller(self) -> Caller:
        if "HTTP_AUTHORIZATION" not in self.request.META:
            raise Unauthenticated(_NO_KEY)
        return super().caller

    def initial(self, request: HttpCall, *args: Any, **kwargs: Any) -> None:
        try:
            super().initial(request, *args, **kwargs)
        except NotGranted as refusal:
            caller = self.caller
            count_refusal(
                KeyRefusal(
                    reason=refusal.code,
                    path=request.path_info,
                    prefix=caller.key_prefix,
                    actor_id=caller.actor_id,
                    organization_id=caller.organization.pk,
                )
            )
            raise

    def repeat(self, value: Any) -> idempotency.Repeat | None:
        """The ``Idempotency-Key``, which is an actor's own: those of one user do not get each other's answers."""
        repeat = super().repeat(value)
        return repeat and replace(repeat, path=f"{repeat.path[:450]}#{self.caller.actor_id}")


class InboxView(KeyView):
    """A view of one inbox that the caller's actor takes part in."""

    def hand(self, inbox: str) -> Hand:
        """The caller at work in the inbox. Raises NotFound for any other inbox."""
        return access_inbox(self.caller, inbox)

    @property
    def cursor(self) -> str | None:
        """The cursor of the query."""
        return self.request.query_params.get("cursor")


class SetupView(KeyView):
    """A view of what operators set up; participants with a key may look at some of it."""

    @cached_property
    def caller(self) -> Caller:
        caller = credential_caller(self.request)
        if caller is None:
            raise Unauthenticated(_NO_LOGIN)
        check_named_user(caller, self.body_and_user[1])
        check_named_user(caller, self.request.query_params.get("userId"))
        return caller

    def operator(self) -> Caller:
        """The caller, when it is an owner or operator with a browser session. Raises NotAllowed."""
        if self.caller.key_id is not None:
            raise NotAllowed(f"no key may do this: {_NO_LOGIN}")
        self.caller.check_operates()
        return self.caller

    def owner(self) -> Caller:
        """The caller, when it decides who calls in its organization: an owner, or a superuser. Raises NotAllowed."""
        caller = self.operator()
        places = Membership.objects.filter(user=caller.user, organization=caller.organization)
        if not (caller.user.is_superuser or places.filter(role=Membership.Role.OWNER).exists()):
            raise NotAllowed(
                f"'{caller.user.username}' is an operator of '{caller.organization.slug}'; who calls, and with which "
                "key, is for its owners"
            )
        return caller

    def operated(self, inbox: str) -> Inbox:
        """An inbox of the operator's organization. Raises NotAllowed, NotFound."""
        found = inboxes_of(self.operator().organization).filter(slug=inbox).first()
        if found is None:
            raise nothing_here()
        return found

    def readable(self, inbox: str) -> Inbox:
        """An inbox that the key takes part in, or of the operator's organization."""
        if self.caller.key_id is not None:
            return access_inbox(self.caller, inbox).inbox
        return self.operated(inbox)
