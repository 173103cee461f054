"""A WebSocket as the client sees it."""

from __future__ import annotations

import ssl as ssl_module
from collections.abc import Mapping
from typing import Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from ..errors import ConnectionError


class SocketClosed(Exception):
    """The connection has ended; `code` is 1006 where there was no closing handshake."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class Socket(Protocol):
    """`send` and `receive` raise `SocketClosed`."""

    async def send(self, data: bytes) -> None: ...
    async def receive(self) -> bytes | str: ...
    async def close(self) -> None:
        """The closing handshake, for as long as the peer takes."""

    def abandon(self) -> None:
        """Lets go at once."""


HELP_BY_STATUS = {
    400: "The address is not that of a Roomwire server, or something in between does not let WebSockets pass",
    401: "Something in front of the server asks for a credential",
    403: "The server refuses the Origin of the request, or something in front of it refuses the request",
    426: "The address is not that of a WebSocket server",
    429: "Too many connections of this address are not authenticated yet",
    503: "The server is starting or stopping",
}


async def open_web_socket(url: str, *, ssl: ssl_module.SSLContext | None = None, headers: Mapping[str, str] | None = None) -> Socket:
    """Raises `unreachable`. How long it may take is for the caller to say."""
    try:
        # Compression costs more memory than it saves traffic; the protocol has a heartbeat of its own.
        connection = await connect(
            url,
            ssl=ssl,
            additional_headers=headers,
            compression=None,
            ping_interval=None,
            open_timeout=None,
            close_timeout=None,
            max_size=None,
        )
    except InvalidStatus as cause:
        status = cause.response.status_code
        if status == 404:
            raise ConnectionError("wrong_path", http_status=status) from cause
        message = f"The server answered the handshake with HTTP {status}"
        raise ConnectionError("unreachable", http_status=status, message=message, help=HELP_BY_STATUS.get(status)) from cause
    except (OSError, WebSocketException, EOFError) as cause:
        raise ConnectionError("unreachable", message=f"The server could not be reached: {cause}") from cause
    return WebSocket(connection)


class WebSocket:
    """A `Socket` of the `websockets` library."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, data: bytes) -> None:
        try:
            await self._connection.send(data)
        except ConnectionClosed as cause:
            raise closed(cause) from cause

    async def receive(self) -> bytes | str:
        try:
            return await self._connection.recv()
        except ConnectionClosed as cause:
            raise closed(cause) from cause

    async def close(self) -> None:
        await self._connection.close()

    def abandon(self) -> None:
        self._connection.transport.abort()


def closed(error: ConnectionClosed) -> SocketClosed:
    if error.rcvd is None:
        return SocketClosed(1006, "")
    return SocketClosed(error.rcvd.code, error.rcvd.reason)
