"""The states of a client."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..errors import RoomwireError
from ..protocol.frames import Session


@dataclass(frozen=True)
class Connecting:
    """A token is being fetched, the socket opened, or the token checked."""

    failures: int
    """Attempts that failed, and connections that were lost, since the client was last connected."""
    name: Literal["connecting"] = field(default="connecting", init=False)


@dataclass(frozen=True)
class Connected:
    """Authenticated; the subscriptions are being made again."""

    session: Session
    name: Literal["connected"] = field(default="connected", init=False)


@dataclass(frozen=True)
class Waiting:
    """`reason` ended the last attempt or connection; the next attempt begins in `retry_in` seconds."""

    failures: int
    retry_in: float
    reason: RoomwireError
    name: Literal["waiting"] = field(default="waiting", init=False)


@dataclass(frozen=True)
class Closed:
    """For good, by `close()` (`client_closed`) or because `reason` allows no other attempt."""

    reason: RoomwireError
    name: Literal["closed"] = field(default="closed", init=False)


ConnectionState = Connecting | Connected | Waiting | Closed
