"""The lobbies that the client watches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from ..errors import ConnectionError, RoomwireError, caused_by
from ..protocol.codec import encode_frame
from ..protocol.frames import LobbyContents, LobbyEventFrame, LobbyPresenceList, LobbySubscribed, PresenceEntry
from ..requests import Requests
from .changes import Broadcast, LobbySnapshot, PresenceChange, change_of

LobbyEvent = LobbySnapshot | PresenceChange
LobbyHandler = Callable[[LobbyEvent], object]


@dataclass(frozen=True)
class LobbiesContext:
    clock: Callable[[], float]
    is_online: Callable[[], bool]
    spawn: Callable[[Callable[[], Coroutine[Any, Any, None]]], None]
    on_error: Callable[[RoomwireError], None]


class Lobby:
    """Who is in a number of rooms, kept true. As an `async with` it ends with the block."""

    def __init__(self, lobby_id: str, handler: LobbyHandler | None, leave: Callable[[Lobby], Any]) -> None:
        self.lobby_id = lobby_id
        self._handler = handler
        self._leave = leave
        self._rooms: dict[str, dict[str, PresenceEntry]] = {}
        self._has_begun = False
        self._events: Broadcast[LobbyEvent] = Broadcast()

    @property
    def presence(self) -> LobbyContents:
        """By room slug, then by `actor_token_id`; a room without anybody is absent. Rooms that go out of view stay until the next
        snapshot: the server does not tell."""
        return self._rooms

    def events(self) -> AsyncGenerator[LobbyEvent, None]:
        """From now on, for an `async for`: changes, and a snapshot after every reconnect."""
        return self._events.stream()

    async def unsubscribe(self) -> None:
        """Stops the handler at once. Returns when the server has confirmed, or cannot. May be called again."""
        await self._leave(self)

    async def __aenter__(self) -> Lobby:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.unsubscribe()

    def reset(self, presence: dict[str, dict[str, PresenceEntry]]) -> None:
        self._rooms = presence
        self._has_begun = True
        self._tell(LobbySnapshot({room: dict(actors) for room, actors in presence.items()}))

    def apply(self, frame: LobbyEventFrame, now: float) -> None:
        # What comes before its snapshot is of a former watch, which has not ended yet.
        if not self._has_begun:
            return
        actors = self._rooms.setdefault(frame.room_id, {})
        before = actors.pop(frame.actor_token_id, None)
        after = None
        if frame.kind != "leave":
            joined_at = int(now) if before is None else before.joined_at
            after = actors[frame.actor_token_id] = PresenceEntry(frame.actor_token_id, frame.presence, joined_at)
        if not actors:
            del self._rooms[frame.room_id]
        if before is not None or after is not None:
            self._tell(change_of(frame.kind, frame.room_id, frame.actor_token_id, before, after))

    def end(self) -> None:
        self._events.end()

    def _tell(self, event: LobbyEvent) -> None:
        self._events.send(event)
        if self._handler is not None:
            self._handler(event)


class Lobbies:
    def __init__(self, requests: Requests, context: LobbiesContext) -> None:
        self._requests = requests
        self._context = context
        self._watched: dict[str, Lobby] = {}

    async def subscribe(self, lobby_id: str, handler: LobbyHandler | None) -> Lobby:
        if lobby_id in self._watched:
            raise RoomwireError("subscription_conflict", lobby_id=lobby_id)
        lobby = self._watched[lobby_id] = Lobby(lobby_id, handler, self._leave)
        try:
            await self._request_snapshot(lobby_id)
        except BaseException:
            self._forget(lobby)
            raise
        return lobby

    async def contents_of(self, lobby_id: str) -> LobbyContents:
        frame = encode_frame("getLobbyPresence", lobbyId=lobby_id)
        answer = await self._requests.ask(frame, about=lobby_id, answered_by=("lobbyPresenceList", lobby_id))
        return cast(LobbyPresenceList, answer).presence

    def opened(self, frame: LobbySubscribed) -> None:
        """The handler gets the snapshot before any event that follows it, whether or not a request is pending."""
        self._hand(frame.lobby_id, lambda lobby: lobby.reset(frame.presence))

    def changed(self, frame: LobbyEventFrame) -> None:
        self._hand(frame.lobby_id, lambda lobby: lobby.apply(frame, self._context.clock()))

    def connected(self) -> None:
        for lobby in self._watched.values():
            self._context.spawn(partial(self._watch_again, lobby))

    def close(self) -> None:
        for lobby in self._watched.values():
            lobby.end()
        self._watched.clear()

    async def _request_snapshot(self, lobby_id: str) -> None:
        frame = encode_frame("lobbySubscribe", lobbyId=lobby_id)
        await self._requests.ask(frame, about=lobby_id, answered_by=("lobbySubscribed", lobby_id))

    async def _watch_again(self, lobby: Lobby) -> None:
        async def request() -> None:
            if self._watched.get(lobby.lobby_id) is lobby:
                await self._request_snapshot(lobby.lobby_id)

        try:
            await self._requests.persist(request)
        except ConnectionError:
            # A connection that is lost again is tried again.
            return
        except RoomwireError as error:
            self._forget(lobby)
            self._context.on_error(error)

    async def _leave(self, lobby: Lobby) -> None:
        if not self._forget(lobby) or not self._context.is_online():
            return
        frame = encode_frame("lobbyUnsubscribe", lobbyId=lobby.lobby_id)
        try:
            await self._requests.ask(frame, about=lobby.lobby_id, answered_by=("lobbyUnsubscribed", lobby.lobby_id))
        except RoomwireError:
            # A connection that is lost ends it as well.
            return

    def _forget(self, lobby: Lobby) -> bool:
        lobby.end()
        if self._watched.get(lobby.lobby_id) is not lobby:
            return False
        del self._watched[lobby.lobby_id]
        return True

    def _hand(self, lobby_id: str, change: Callable[[Lobby], None]) -> None:
        lobby = self._watched.get(lobby_id)
        if lobby is None:
            return
        try:
            change(lobby)
        except Exception as cause:
            failed = RoomwireError("handler_failed", lobby_id=lobby_id, help=repr(cause))
            self._context.on_error(caused_by(failed, cause))
