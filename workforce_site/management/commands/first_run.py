"""What a newcomer sees after the first start: the address, a login, a call to copy."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from workforce.models import Membership, User
from workforce.services.organizations import ensure_membership, ensure_organization

ADMIN = "admin"


class Command(BaseCommand):
    help = "Make an admin login when there is none, and say where to look next."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", help="the address that will be served")

    def handle(self, *args: Any, **options: Any) -> None:
        address = f"http://{options['bind']}"
        self.stdout.write(f"admin     {address}/admin/   {self._login()}")
        self.stdout.write(f"API       {address}/api/docs")
        if settings.WORKFORCE_AUTH == "open":
            self.stdout.write(
                "post      "
                + self._curl(address, "post", '{"input": {"body": "The robot leaves streaks when it mops."}}')
            )
            self.stdout.write("read      " + self._curl(address, "read", "{}"))
        else:
            self.stdout.write("keys      manage.py actor add NAME --grant flows:read --grant flows:write")

    def _login(self) -> str:
        if User.objects.filter(is_superuser=True).exists():
            return "(log in as before; 'manage.py changepassword admin' sets a new password)"
        password = secrets.token_urlsafe(12)
        user = User.objects.create_superuser(ADMIN, password=password)
        organization = ensure_organization(slug=settings.DEFAULT_ORGANIZATION)
        ensure_membership(user=user, organization=organization, role=Membership.Role.OWNER)
        return f"login '{ADMIN}', password '{password}' (made just now, shown once)"

    def _curl(self, address: str, action: str, body: str) -> str:
        return (
            f"curl -s {address}/api/flows/mailbox/support.help/actions/{action} "
            f"-H 'Content-Type: application/json' -H 'Prefer: return=representation' -d '{body}'"
        )
