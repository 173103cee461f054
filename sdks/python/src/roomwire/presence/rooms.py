"""The one room that the client is in, and who else is there."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from ..errors import ConnectionError, RoomwireError
from ..protocol.codec import encode_frame
from ..protocol.frames import PresenceData, PresenceEntry, PresenceEvent, PresenceList
from ..requests import Requests
from .changes import Broadcast, PresenceChange, change_of, differences


class Room:
    """A room that the client has entered, with a list of who is there that is kept true, over reconnects as well."""

    def __init__(self, room_id: str) -> None:
        self.room_id = room_id
        self.presence: PresenceData = {}
        """What was announced last, and accepted."""
        self._members: dict[str, PresenceEntry] = {}
        self._changes: Broadcast[PresenceChange] = Broadcast()

    @property
    def members(self) -> Mapping[str, PresenceEntry]:
        """By `actor_token_id`, the own actor included. It changes as actors come and go; without a connection it is as of the last
        one."""
        return MappingProxyType(self._members)

    def changes(self) -> AsyncGenerator[PresenceChange, None]:
        """What becomes of the others from now on, for an `async for`; also what is found out after a reconnect. Ends when the client
        enters another room or is closed. 1000 changes that are not taken end it with `buffer_overflow`."""
        return self._changes.stream()

    def replace(self, entries: Mapping[str, PresenceEntry]) -> list[PresenceChange]:
        found = differences(self.room_id, self._members, entries)
        self._members.clear()
        self._members.update(entries)
        return found

    def apply(self, frame: PresenceEvent, now: float) -> list[PresenceChange]:
        actor = frame.actor_token_id
        before = self._members.pop(actor, None)
        after = None
        if frame.kind != "leave":
            # The frame does not say when; that of an actor that joins is now.
            joined_at = int(now) if before is None else before.joined_at
            after = self._members[actor] = PresenceEntry(actor, frame.presence, joined_at)
        elif before is None:
            return []
        return [change_of(frame.kind, self.room_id, actor, before, after)]

    def end(self) -> None:
        self._changes.end()

    def tell(self, change: PresenceChange) -> None:
        self._changes.send(change)


@dataclass(frozen=True)
class RoomsContext:
    clock: Callable[[], float]
    spawn: Callable[[Callable[[], Coroutine[Any, Any, None]]], None]
    on_member: Callable[[PresenceChange], None]
    """Every change of the list."""
    on_change: Callable[[PresenceChange], None]
    """What the others do once the client is there."""
    on_error: Callable[[RoomwireError], None]


class Rooms:
    def __init__(self, requests: Requests, context: RoomsContext) -> None:
        self._requests = requests
        self._context = context
        self._room: Room | None = None
        self._own = ""
        self._is_synchronized = False
        """Whether the list is that of the present connection, so that events are changes of it."""

    async def enter(self, room_id: str, presence: PresenceData) -> Room:
        await self._announce(room_id, presence)
        room = self._room
        is_first = room is None or room.room_id != room_id
        if room is None or is_first:
            if room is not None:
                room.end()
            room = Room(room_id)
            self._is_synchronized = False
        room.presence = presence
        self._room = room
        await self._synchronize(room, is_first)
        return room

    async def entries_of(self, room_id: str) -> tuple[PresenceEntry, ...]:
        frame = encode_frame("getPresence", roomId=room_id)
        answer = await self._requests.ask(frame, about=room_id, answered_by=("presenceList", room_id))
        return cast(PresenceList, answer).entries

    def changed(self, frame: PresenceEvent) -> None:
        # What comes before the list is in the list.
        if self._room is not None and self._is_synchronized:
            self._emit(self._room, self._room.apply(frame, self._context.clock()))

    def connected(self, actor_token_id: str) -> None:
        """The server has forgotten where the client was."""
        self._own = actor_token_id
        if self._room is not None:
            self._context.spawn(partial(self._enter_again, self._room))

    def disconnected(self) -> None:
        self._is_synchronized = False

    def close(self) -> None:
        if self._room is not None:
            self._room.end()

    async def _announce(self, room_id: str, presence: PresenceData) -> None:
        """The server answers an announcement only when it refuses it; so a question that is always answered follows it, and the
        announcement is in force when that answer comes."""
        await self._requests.ask(
            encode_frame("presence", roomId=room_id, data=dict(presence)),
            encode_frame("getPresence"),
            about=room_id,
            answered_by=("presenceList", None),
            refusal_answers=False,
        )

    async def _synchronize(self, room: Room, is_first: bool) -> None:
        # The list is taken over while its frame is read: events that follow it are changes of it.
        def take_over(answer: PresenceList) -> None:
            if self._room is room:
                self._is_synchronized = True
                self._emit(room, room.replace({entry.actor_token_id: entry for entry in answer.entries}), is_first)

        frame = encode_frame("getPresence", roomId=room.room_id)
        await self._requests.ask(frame, about=room.room_id, answered_by=("presenceList", room.room_id), on_answer=take_over)

    async def _enter_again(self, room: Room) -> None:
        try:
            await self._announce(room.room_id, room.presence)
            await self._synchronize(room, is_first=False)
        except ConnectionError:
            # A connection that is lost again is tried again.
            return
        except RoomwireError as error:
            if self._room is room:
                self._room = None
                room.end()
            self._context.on_error(error)

    def _emit(self, room: Room, changes: list[PresenceChange], is_first: bool = False) -> None:
        for change in changes:
            self._context.on_member(change)
            if not is_first and change.actor_token_id != self._own:
                room.tell(change)
                self._context.on_change(change)
