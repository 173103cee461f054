"""A server in the test's hand: it sees each frame that a client writes, and answers when the test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgpack

from roomwire.client import Client
from roomwire.connection.environment import Environment
from roomwire.connection.socket import Socket, SocketClosed
from roomwire.errors import ConnectionError, RoomwireError
from roomwire.options import Settings, TokenFunction

EPOCH = 1_767_225_600
"""The time of day when the virtual time is 0, in Unix seconds."""
TOKEN = "at_live_1a2b.secret"
FEATURES = ("meta", "own", "history", "publish", "idempotency")
TOPIC = "chat-1a2b/lobby/lines"


def now() -> float:
    return EPOCH + asyncio.get_running_loop().time()


def state_of(client: Client) -> str:
    """A function, because a type checker takes a state that it has seen for unchanged across an await."""
    return client.state.name


class Peer:
    """The server's end of one connection."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.to_client: asyncio.Queue[bytes | str | SocketClosed] = asyncio.Queue()
        self.heartbeats = 0
        self.answers_heartbeats = True
        self.is_closed_by_client = asyncio.Event()
        self.end: SocketClosed | None = None

    def send(self, type_: str, **fields: Any) -> None:
        self.to_client.put_nowait(msgpack.packb({"type": type_, **fields}, datetime=True))

    def send_raw(self, data: bytes | str) -> None:
        self.to_client.put_nowait(data)

    def close(self, code: int = 1006, reason: str = "") -> None:
        self.to_client.put_nowait(SocketClosed(code, reason))

    async def expect(self, type_: str) -> dict[str, Any]:
        """The next frame, which has to be of this type."""
        frame = await asyncio.wait_for(self.frames.get(), 3600)
        assert frame["type"] == type_, frame
        return frame

    async def authenticate(self, **fields: Any) -> dict[str, Any]:
        frame = await self.expect("auth")
        answer = {
            "success": True,
            "actorTokenId": "me",
            "projectId": "project",
            "actorType": "user",
            "protocolVersion": 2,
            "restoredSubscriptions": [],
            "features": list(FEATURES),
        }
        self.send("auth", **{**answer, **fields})
        return frame

    async def subscribe(self, **fields: Any) -> dict[str, Any]:
        frame = await self.expect("subscribe")
        self.send("subscribed", topic=frame["topic"], loadBalance=frame.get("loadBalance", False), **fields)
        return frame

    async def publish(self, **fields: Any) -> dict[str, Any]:
        frame = await self.expect("publish")
        self.send("published", topic=frame["topic"], msgRef=frame["msgRef"], **fields)
        return frame

    def message(self, data: Any, topic: str = TOPIC, **fields: Any) -> None:
        self.send("message", topic=topic, data=data, **fields)

    async def settle(self) -> None:
        """Everything that was sent to the client has been handled, and what it does at once is done."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def expect_silence(self, seconds: float = 60.0) -> None:
        await asyncio.sleep(seconds)
        assert self.frames.empty(), self.frames.get_nowait()


class ScriptedSocket:
    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    async def send(self, data: bytes) -> None:
        if self._peer.end is not None:
            raise self._peer.end
        if data == b"":
            self._peer.heartbeats += 1
            if self._peer.answers_heartbeats:
                self._peer.send_raw(b"")
        else:
            self._peer.frames.put_nowait(msgpack.unpackb(data, timestamp=3, strict_map_key=False))

    async def receive(self) -> bytes | str:
        if self._peer.end is not None:
            raise self._peer.end
        data = await self._peer.to_client.get()
        if isinstance(data, SocketClosed):
            self._peer.end = data
            raise data
        return data

    async def close(self) -> None:
        self._peer.is_closed_by_client.set()

    def abandon(self) -> None:
        self._peer.is_closed_by_client.set()


class ScriptedServer:
    def __init__(self) -> None:
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()
        self.refuses: RoomwireError | None = None
        self.is_silent = False
        """Connections do not open."""
        self.attempts: list[float] = []
        """When the client has tried to connect."""
        self.lot = 0.5
        self.ids = 0

    async def open_socket(self) -> Socket:
        self.attempts.append(asyncio.get_running_loop().time())
        if self.refuses is not None:
            raise self.refuses
        if self.is_silent:
            await asyncio.sleep(1e6)
        peer = Peer()
        self._peers.put_nowait(peer)
        return ScriptedSocket(peer)

    async def accept(self) -> Peer:
        return await asyncio.wait_for(self._peers.get(), 3600)

    async def connected(self, **fields: Any) -> Peer:
        peer = await self.accept()
        await peer.authenticate(**fields)
        await peer.settle()
        return peer

    def refuse(self) -> None:
        self.refuses = ConnectionError("unreachable")

    def new_id(self) -> str:
        self.ids += 1
        return f"id-{self.ids}"

    def client(self, token: str | TokenFunction = TOKEN, **options: Any) -> Client:
        settings = Settings("ws://test/ws", token, **options)
        return Client(settings, Environment(self.open_socket, now, lambda: self.lot, self.new_id))

    @asynccontextmanager
    async def session(self, token: str | TokenFunction = TOKEN, **options: Any) -> AsyncIterator[tuple[Client, Peer]]:
        """A client and its first connection."""
        client = self.client(token, **options)
        client.start()
        try:
            yield client, await self.connected()
        finally:
            await client.close()
