"""Resolving who is calling: a key, a browser session, or (in open mode) a name. See docs/identity.md."""

from __future__ import annotations

import ipaddress
from typing import Any

from django.conf import settings
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request as HttpCall

from workforce.callers import Caller
from workforce.errors import InvalidInput, NotAllowed, NotJson, Unauthenticated, UserMismatch
from workforce.models import Membership, Organization, User
from workforce.services.authenticating import authenticate_key
from workforce.services.organizations import ensure_membership, ensure_organization, ensure_user
from workforce.texts import is_blank

#: The roles whose browser sessions may do what is not their user's own.
OPERATING = (Membership.Role.OPERATOR, Membership.Role.OWNER)
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class DenyAll(BasePermission):
    """The default of every view: nobody."""

    def has_permission(self, request: HttpCall, view: Any) -> bool:
        return False


def credential_caller(request: HttpCall) -> Caller | None:
    """The caller that a key or a browser session proves; None for a call without one in open mode.

    A key wins over a browser session. Raises Unauthenticated and the other refusals of keys, and
    NotAllowed for a browser session without an organization.
    """
    if "HTTP_AUTHORIZATION" in request.META:
        return authenticate_key(
            text=_bearer(request.META["HTTP_AUTHORIZATION"]),
            passname_header=request.META.get("HTTP_X_PASSNAME"),
            path=request.path_info,
        )
    if settings.SESSION_COOKIE_NAME in request.COOKIES and request._request.user.is_authenticated:
        if request.method == "POST" and (request.content_type or "").lower().startswith(FORMS):
            raise NotJson  # before the CSRF check, which would read the body away
        SessionAuthentication().enforce_csrf(request)
        return _session_caller(request)
    if settings.WORKFORCE_AUTH == "open":
        check_from_here(request)
        return None
    raise Unauthenticated


def check_from_here(request: HttpCall) -> None:
    """Raise NotAllowed for an open call from another machine, or sent by a page of another site.

    Open mode takes anybody's word; so a page that somebody looks at must not be able to speak through the
    browser, whatever the address the server was bound to.
    """
    peer = request.META.get("REMOTE_ADDR", "")
    if peer and not is_loopback(peer):
        raise NotAllowed("open mode serves this machine only; use a key, with WORKFORCE_AUTH=keys")
    site = request.META.get("HTTP_SEC_FETCH_SITE", "none")
    origin = request.META.get("HTTP_ORIGIN")
    own = f"{request.scheme}://{request.get_host()}"
    if site not in ("none", "same-origin") or (origin is not None and origin != own):
        raise NotAllowed("open mode answers no page of another site; use a key, with WORKFORCE_AUTH=keys")


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def check_named_user(caller: Caller, named: str | None) -> None:
    """Raise UserMismatch when a body or query names another user than the caller."""
    if named is not None and named != caller.user.username:
        raise UserMismatch(
            f"userId is '{named[:150]}', and the caller is '{caller.user.username}'; leave it out"
        )


def _bearer(header: str) -> str:
    scheme, _, text = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated
    return text.strip()


def _session_caller(request: HttpCall) -> Caller:
    user = request._request.user
    assert isinstance(user, User)
    memberships = Membership.objects.select_related("organization").filter(user=user)
    slug = request.META.get("HTTP_X_ORGANIZATION")
    chosen = (
        memberships.filter(organization__slug=slug) if slug else memberships.order_by("-is_default", "id")
    )
    membership = chosen.first()
    if membership is None:
        raise NotAllowed(
            f"you are not a member of the organization '{slug[:64]}'"
            if slug
            else "you belong to no organization"
        )
    operates = user.is_superuser or membership.role in OPERATING
    return Caller(user=user, organization=membership.organization, operates=operates)


def open_caller(request: HttpCall, named_user: str | None) -> Caller:
    """The user that an open call names (else the default one), made on first sight."""
    username = named_user
    if username is None:
        username = request.META.get("HTTP_X_USER", "").strip() or settings.DEFAULT_USER
    if len(username) > 150 or is_blank(username) or not username.isprintable():
        raise InvalidInput.at("userId", "must be 1 to 150 printable characters, not blank")
    user = User.objects.filter(username=username).first()
    organization = Organization.objects.filter(slug=settings.DEFAULT_ORGANIZATION).first()
    if user is None or organization is None:
        organization = ensure_organization(slug=settings.DEFAULT_ORGANIZATION)
        user = ensure_user(username=username)
        ensure_membership(user=user, organization=organization)
    if not user.is_active:
        raise NotAllowed(f"the user '{username}' is not active")
    return Caller(user=user, organization=organization)
