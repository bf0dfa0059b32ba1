"""How a digest leaves: by e-mail through Django's backend, or by a Telegram bot."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPMessage
from smtplib import SMTPException
from types import TracebackType
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email

from messaging.digests.errors import ChannelUnavailable
from messaging.digests.models import DigestSubscription
from workforce.errors import InvalidInput

Channel = DigestSubscription.Channel
#: Seconds that a channel may take; far less than a digest is held for.
TIMEOUT = 20.0
#: What one Telegram message may hold.
TELEGRAM_LENGTH = 4096


class NotSent(Exception):
    """The channel did not take the digest; its words name neither address nor token."""


def check_channel(channel: str, address: str) -> None:
    """Raise ChannelUnavailable when the server cannot send so, InvalidInput for an address that is none."""
    if channel == Channel.EMAIL:
        if not settings.EMAIL_URL:
            raise ChannelUnavailable("this server sends no e-mail: set EMAIL_URL, or use another channel")
        try:
            validate_email(address)
        except ValidationError:
            raise InvalidInput.at("address", "is no e-mail address") from None
        return
    if not settings.TELEGRAM_BOT_TOKEN:
        raise ChannelUnavailable(
            "this server has no Telegram bot: set TELEGRAM_BOT_TOKEN, or use another channel"
        )
    number = address.removeprefix("-")
    if not (number.isascii() and number.isdigit() and len(number) <= 20):
        raise InvalidInput.at("address", "must be the number of a Telegram chat")


def deliver(*, channel: str, address: str, subject: str, text: str) -> None:
    """Hand the digest to the channel. Raises NotSent."""
    if channel == Channel.EMAIL:
        _mail(address, subject, text)
    else:
        _telegram(address, f"{subject}\n\n{text}")


def _mail(address: str, subject: str, text: str) -> None:
    try:
        taken = EmailMessage(subject=subject, body=text, to=[address]).send()
    except (SMTPException, OSError, ValueError) as error:
        raise NotSent(f"the mail server did not take it ({type(error).__name__})") from None
    if not taken:
        raise NotSent("the mail server did not take it")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token is in the path: it goes to the address that was set, and to no other."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


class _Deadline(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Ends the connection when the time is over; a socket's own timeout begins anew with every byte that comes."""

    def __init__(self, seconds: float) -> None:
        urllib.request.HTTPSHandler.__init__(self)
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self._open(http.client.HTTPConnection, req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self._open(http.client.HTTPSConnection, req)

    def _open(
        self, base: type[http.client.HTTPConnection], req: urllib.request.Request
    ) -> http.client.HTTPResponse:
        sockets = self._sockets

        class Watched(base):  # type: ignore[valid-type,misc]
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        return self.do_open(Watched, req)

    def _end(self) -> None:
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


def _telegram(chat: str, text: str) -> None:
    body: dict[str, Any] = {
        "chat_id": chat,
        "text": text if len(text) <= TELEGRAM_LENGTH else f"{text[: TELEGRAM_LENGTH - 1]}…",
        "disable_web_page_preview": True,
    }
    call = urllib.request.Request(  # noqa: S310 - an operator's own address
        f"{settings.TELEGRAM_API_URL.rstrip('/')}/bot{settings.TELEGRAM_BOT_TOKEN}/sendMessage",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with (
            _Deadline(TIMEOUT) as deadline,
            urllib.request.build_opener(_NoRedirects(), deadline).open(call, timeout=TIMEOUT) as answer,
        ):
            said = json.loads(answer.read(65_536))
    except urllib.error.HTTPError as error:
        raise NotSent(f"Telegram answered {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise NotSent(f"Telegram could not be reached ({type(error).__name__})") from None
    if not (isinstance(said, dict) and said.get("ok") is True):
        raise NotSent("Telegram did not take it")
