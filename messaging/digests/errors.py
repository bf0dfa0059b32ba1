"""What digests refuse. See docs/digests.md."""

from __future__ import annotations

from workforce.errors import DomainError


class ChannelUnavailable(DomainError):
    """This server cannot send over the channel; its operator has not set it up."""

    code = "channel-unavailable"
    status = 409
