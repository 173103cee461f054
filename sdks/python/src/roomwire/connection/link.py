"""One WebSocket from its opening to its end: authentication, then frames, heartbeats and renewals."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ..client_name import CLIENT_NAME
from ..errors import AuthenticationError, ConnectionError, RoomwireError
from ..futures import new_future, resolve, until_one_ends, within
from ..options import Settings
from ..protocol.codec import decode_frame, encode_frame
from ..protocol.frames import AuthRefused, ErrorFrame, Reauthenticated, ServerFrame, Session, TokenExpiring
from ..protocol.read_frame import protocol_error
from .environment import Environment
from .renewal import Renewal
from .socket import Socket, SocketClosed
from .tokens import TokenSource

HEARTBEAT = b""


@dataclass(frozen=True)
class LinkEvents:
    on_session: Callable[[Session], None]
    """From now on frames may be sent."""
    on_frame: Callable[[ServerFrame], None]
    on_error: Callable[[RoomwireError], None]
    """What does not end the link."""
    on_lost: Callable[[float], None]
    """A link that had a session has ended, after so many seconds."""


class Link:
    """Runs once. Frames are handed on as they come, each before the next one is read."""

    def __init__(self, settings: Settings, environment: Environment, tokens: TokenSource, events: LinkEvents, token: str) -> None:
        self.token = token
        """The one that the server has accepted last, or is asked to accept first."""
        self._settings = settings
        self._environment = environment
        self._tokens = tokens
        self._events = events
        self._outbox: deque[bytes] = deque()
        self._has_work = asyncio.Event()
        self._sign_of_life = asyncio.Event()
        self._reauthentications: deque[asyncio.Future[Reauthenticated]] = deque()
        """Those that are not answered, the oldest first: the server answers in order. One that has timed out still waits."""
        self._renewal = Renewal(environment, tokens, self._reauthenticate, events.on_error)

    def send(self, frame: bytes) -> None:
        self._outbox.append(frame)
        self._has_work.set()

    async def run(self) -> None:
        """Raises the `RoomwireError` for which it ends."""
        socket = await self._open()
        is_wanted = True
        try:
            session = await self._authenticate(socket)
            await self._serve(socket, session)
        except SocketClosed as end:
            is_wanted = False
            raise ConnectionError("connection_lost", close_code=end.code, close_reason=end.reason) from end
        except ConnectionError as error:
            is_wanted = error.error not in ("heartbeat_timeout", "auth_timeout")
            raise
        finally:
            await self._let_go(socket, is_wanted)

    async def _open(self) -> Socket:
        opening = asyncio.ensure_future(self._environment.open_socket())
        try:
            return await within(self._settings.timeouts.connect, opening)
        except TimeoutError as cause:
            raise ConnectionError("connect_timeout") from cause
        except asyncio.CancelledError:
            if not opening.cancelled() and opening.exception() is None:
                # It has opened in the same moment.
                opening.result().abandon()
            raise

    async def _serve(self, socket: Socket, session: Session) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._events.on_session(session)
        try:
            await until_one_ends(
                self._read(socket), self._write(socket), self._beat(), self._renewal.run(self.token, session.auth_expires_at)
            )
        finally:
            self._events.on_lost(loop.time() - began)

    async def _authenticate(self, socket: Socket) -> Session:
        frame = encode_frame(
            "auth",
            token=self.token,
            protocolVersion=2,
            reconnect=self._settings.resume,
            clientId=self._settings.client_id,
            features=True,
            notices=True,
            sdk=CLIENT_NAME,
        )
        try:
            return await within(self._settings.timeouts.auth, self._ask_for_session(socket, frame))
        except TimeoutError as cause:
            raise ConnectionError("auth_timeout") from cause

    async def _ask_for_session(self, socket: Socket, frame: bytes) -> Session:
        await socket.send(frame)
        while True:
            answer = self._decoded(await socket.receive())
            if isinstance(answer, ErrorFrame):
                raise protocol_error(answer)
            if isinstance(answer, AuthRefused):
                raise AuthenticationError(answer.error)
            if isinstance(answer, Session):
                # Version 1 has no `published` frames: every publish would wait in vain.
                if answer.protocol_version < 2:
                    raise ConnectionError("unsupported_protocol")
                return answer

    def _decoded(self, data: bytes | str) -> ServerFrame | None:
        try:
            return None if data == HEARTBEAT else decode_frame(data)
        except RoomwireError as error:
            self._events.on_error(error)
            return None

    async def _read(self, socket: Socket) -> None:
        while True:
            data = await socket.receive()
            self._sign_of_life.set()
            frame = self._decoded(data)
            if isinstance(frame, Reauthenticated):
                if self._reauthentications:
                    resolve(self._reauthentications.popleft(), frame)
            elif frame is not None:
                if isinstance(frame, TokenExpiring):
                    self._renewal.hurry()
                self._events.on_frame(frame)

    async def _write(self, socket: Socket) -> None:
        while True:
            while self._outbox:
                await socket.send(self._outbox.popleft())
            self._has_work.clear()
            await self._has_work.wait()

    async def _beat(self) -> None:
        """Any frame is a sign of life."""
        times = self._settings.heartbeat
        while True:
            await asyncio.sleep(times.interval)
            self._sign_of_life.clear()
            self.send(HEARTBEAT)
            try:
                await within(times.timeout, self._sign_of_life.wait())
            except TimeoutError as cause:
                raise ConnectionError("heartbeat_timeout") from cause

    async def _reauthenticate(self, token: str) -> Reauthenticated:
        reauthenticated: asyncio.Future[Reauthenticated] = new_future()
        self._reauthentications.append(reauthenticated)
        self.send(encode_frame("reauth", token=token))
        try:
            answer = await within(self._settings.timeouts.request, reauthenticated)
        except TimeoutError as cause:
            raise ConnectionError("request_timeout") from cause
        if answer.error is None:
            self.token = token
        return answer

    async def _let_go(self, socket: Socket, is_wanted: bool) -> None:
        """What was to be sent is sent, and the closing handshake made, as far as the peer takes part in time."""
        try:
            if is_wanted:
                await within(self._settings.timeouts.close, self._part(socket))
        except (TimeoutError, SocketClosed):
            pass
        finally:
            socket.abandon()

    async def _part(self, socket: Socket) -> None:
        while self._outbox:
            await socket.send(self._outbox.popleft())
        await socket.close()
