"""How long the client waits, in seconds, and what it is given."""

from __future__ import annotations

import ssl as ssl_module
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from urllib.parse import urlsplit

from .errors import RoomwireError


@dataclass(frozen=True)
class TokenRequest:
    """Given to the token function."""

    refused: RoomwireError | None
    """Why the last token is of no more use; None when it may be given again."""


TokenFunction = Callable[[TokenRequest], "str | Awaitable[str]"]
"""Asked at every connect and, while a token that expires is in use, before it does. An exception, or no text, is a failed attempt.
One that is not `async` must not block."""


@dataclass(frozen=True)
class Timeouts:
    """How long the client waits for an answer, in seconds."""

    token: float = 30.0
    """For the token function."""
    connect: float = 10.0
    auth: float = 10.0
    request: float = 30.0
    """For the answer to a request, and to a publish without an id."""
    publish: float = 60.0
    """For the answer to a publish with an id, over all connections on which it is sent. Longer than the server remembers ids
    (`ROOMWIRE_DEDUPLICATION_SECONDS`, usually 600), it may be delivered twice."""
    close: float = 2.0
    """For the closing handshake."""


@dataclass(frozen=True)
class Heartbeat:
    """In seconds. The server ends a connection after 60 without a frame."""

    interval: float = 30.0
    timeout: float = 10.0
    """A connection on which nothing arrives for so long after a heartbeat is dead."""


@dataclass(frozen=True)
class Backoff:
    """The waits between attempts, in seconds."""

    early: tuple[float, ...] = (0.5, 1.0, 2.0)
    """After the loss of a connection that was well, before the others. The first one is at most so long, by lot. Empty for none."""
    well_after: float = 10.0
    """How long a connection must have lasted to count as well."""
    base: float = 5.0
    multiplier: float = 1.5
    maximum: float = 30.0
    jitter: float = 0.5
    """Part of a wait, 0 to 1, that chance may take away."""
    restart_spread: float = 3.0
    """After a planned restart of the server, or with a fresh token, clients come back within this time."""


@dataclass(frozen=True)
class Settings:
    """All options of a client. Raises `ValueError` that names everything that is wrong."""

    url: str
    token: str | TokenFunction
    client_id: str | None = None
    resume: bool = False
    reconnect: Backoff | None = Backoff()
    heartbeat: Heartbeat = Heartbeat()
    timeouts: Timeouts = Timeouts()
    ssl: ssl_module.SSLContext | None = None
    headers: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        problems = [*self._address_problems(), *self._wait_problems()]
        if problems:
            raise ValueError(f"Roomwire options: {'; '.join(problems)}")

    def _address_problems(self) -> list[str]:
        problems = []
        if not is_socket_address(self.url):
            problems.append("url must be a ws:// or wss:// address, like ws://127.0.0.1:8080/ws")
        if not callable(self.token) and not (isinstance(self.token, str) and self.token):
            problems.append("token must be a text or a function")
        return problems

    def _wait_problems(self) -> list[str]:
        problems = [
            f"{group}.{field.name} must be above 0"
            for group, waits in (("heartbeat", self.heartbeat), ("timeouts", self.timeouts))
            for field in fields(waits)
            if not is_duration(getattr(waits, field.name))
        ]
        if self.reconnect is None:
            return problems
        backoff = self.reconnect
        if not (is_duration(backoff.base) and is_duration(backoff.maximum)):
            problems.append("reconnect.base and reconnect.maximum must be above 0")
        if not backoff.multiplier >= 1:
            problems.append("reconnect.multiplier must be 1 or more")
        if not 0 <= backoff.jitter <= 1:
            problems.append("reconnect.jitter must be from 0 to 1")
        if not (backoff.restart_spread >= 0 and all(wait >= 0 for wait in backoff.early)):
            problems.append("reconnect.restart_spread and reconnect.early must be 0 or more")
        return problems


def is_duration(value: object) -> bool:
    return isinstance(value, (int, float)) and isfinite(value) and value > 0


def is_socket_address(url: object) -> bool:
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("ws", "wss") and bool(parts.hostname) and not parts.fragment
