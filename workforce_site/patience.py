"""How long a connection may take over the header of a call. See docs/server.md."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds for a whole header, from the connection or from its first byte after another call.
HEADER_SECONDS = 20.0


class PatientProtocol(H11Protocol):
    """Closes a connection that does not send a whole header in time.

    The server's own time-out ends with the first byte; one byte now and then would hold a connection for ever.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._late = self.loop.call_later(HEADER_SECONDS, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._be_patient()
        elif self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(HEADER_SECONDS, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        self._be_patient()
        super().connection_lost(exc)

    def _be_patient(self) -> None:
        """The header is there, or nobody is."""
        if self._late is not None:
            self._late.cancel()
            self._late = None
