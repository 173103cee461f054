"""The rooms that the client is in, and who else is there."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from ..errors import ConnectionError, RoomwireError
from ..protocol.codec import encode_frame
from ..protocol.frames import PresenceCount, PresenceData, PresenceEntry, PresenceEvent, PresenceList
from ..requests import Requests
from .changes import Broadcast, PresenceChange, change_of, differences
from .counts import Count, CountHandler, Counts


class Room:
    """A room that the client has entered, with a list of who is there that is kept true, over reconnects as well."""

    def __init__(self, room_id: str, leave: Callable[[str], Awaitable[None]]) -> None:
        self.room_id = room_id
        self.presence: PresenceData = {}
        """What was announced last, and accepted."""
        self.is_synchronized = False
        """Whether the list is that of the present connection, so that events are changes of it."""
        self.has_begun = False
        """Whether there has been a list."""
        self._leave = leave
        self._members: dict[str, PresenceEntry] = {}
        self._changes: Broadcast[PresenceChange] = Broadcast()

    @property
    def members(self) -> Mapping[str, PresenceEntry]:
        """By `actor_token_id`, the own actor included. It changes as actors come and go; without a connection it is as of the last
        one."""
        return MappingProxyType(self._members)

    def changes(self) -> AsyncGenerator[PresenceChange, None]:
        """What becomes of the others from now on, for an `async for`; also what is found out after a reconnect. Ends when the client
        leaves the room or is closed. 1000 changes that are not taken end it with `buffer_overflow`."""
        return self._changes.stream()

    async def leave(self) -> None:
        """As `client.leave`."""
        await self._leave(self.room_id)

    def replace(self, entries: Mapping[str, PresenceEntry]) -> list[PresenceChange]:
        found = differences(self.room_id, self._members, entries)
        self._members.clear()
        self._members.update(entries)
        self.is_synchronized = self.has_begun = True
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
    is_online: Callable[[], bool]
    has: Callable[[str], bool]
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
        self._rooms: dict[str, Room] = {}
        """Where the client is; a room that was entered without `keep` comes first."""
        self._counts = Counts(requests.persist, self._begin_count, self._go_out, context.is_online, context.on_error)
        self._own = ""

    async def enter(self, room_id: str, presence: PresenceData, keep: bool) -> Room:
        if keep:
            self._assert_known(room_id)
        await self._announce(room_id, presence, keep)
        room = self._rooms.get(room_id) or Room(room_id, self.leave)
        await self._synchronize(room)
        return room

    async def leave(self, room_id: str) -> None:
        """Not there any more at once, whatever becomes of the connection."""
        self._assert_known(room_id)
        self._left(room_id)
        if not self._context.is_online():
            return
        try:
            await self._go_out(room_id)
        except ConnectionError as error:
            # A connection that is lost leaves as well.
            if error.error == "request_timeout":
                raise

    async def count(self, room_id: str, handler: CountHandler | None) -> Count:
        return await self._counts.begin(room_id, handler)

    async def entries_of(self, room_id: str) -> tuple[PresenceEntry, ...]:
        frame = encode_frame("getPresence", roomId=room_id)
        answer = await self._requests.ask(frame, about=room_id, answered_by=("presenceList", room_id))
        return cast(PresenceList, answer).entries

    def changed(self, frame: PresenceEvent) -> None:
        room = self._rooms.get(frame.room_id) if frame.room_id is not None else next(iter(self._rooms.values()), None)
        # What comes before the list is in the list.
        if room is not None and room.is_synchronized:
            self._emit(room, room.apply(frame, self._context.clock()))

    def counted(self, frame: PresenceCount) -> None:
        self._counts.changed(frame.room_id, frame.present)

    def connected(self, actor_token_id: str) -> None:
        """The server has forgotten where the client was."""
        self._own = actor_token_id
        for room in self._rooms.values():
            self._context.spawn(partial(self._restore, room))
        for count in self._counts.running:
            self._context.spawn(partial(self._counts.begin_again, count))

    def disconnected(self) -> None:
        for room in self._rooms.values():
            room.is_synchronized = False

    def close(self) -> None:
        for room in self._rooms.values():
            room.end()
        self._counts.close()

    async def _announce(self, room_id: str, presence: PresenceData, keep: bool) -> None:
        def enter(_: object) -> None:
            if not keep:
                for other in [other for other in self._rooms if other != room_id]:
                    self._left(other)
            self._rooms.setdefault(room_id, Room(room_id, self.leave)).presence = presence

        await self._confirmed(room_id, [enter_frame(room_id, presence, keep)], enter)

    async def _confirmed(self, room_id: str, frames: list[bytes], on_answer: Callable[[object], None]) -> None:
        """The server answers an announcement only when it refuses it; so a question that is always answered follows it, and the
        announcement is in force when that answer comes."""
        await self._requests.ask(
            *frames,
            encode_frame("getPresence"),
            about=room_id,
            answered_by=("presenceList", None),
            refusal_answers=False,
            on_answer=on_answer,
        )

    async def _synchronize(self, room: Room) -> None:
        # The list is taken over while its frame is read: events that follow it are changes of it.
        def take_over(answer: PresenceList) -> None:
            if self._rooms.get(room.room_id) is room:
                is_first = not room.has_begun
                self._emit(room, room.replace({entry.actor_token_id: entry for entry in answer.entries}), is_first)

        frame = encode_frame("getPresence", roomId=room.room_id)
        await self._requests.ask(frame, about=room.room_id, answered_by=("presenceList", room.room_id), on_answer=take_over)

    async def _enter_again(self, room: Room) -> None:
        if self._rooms.get(room.room_id) is not room:
            return
        # A new connection is nowhere, so that none of several leaves another.
        keep = len(self._rooms) > 1
        if keep:
            self._assert_known(room.room_id)
        await self._announce(room.room_id, room.presence, keep)
        await self._synchronize(room)

    async def _restore(self, room: Room) -> None:
        try:
            await self._requests.persist(partial(self._enter_again, room))
        except ConnectionError:
            # A connection that is lost again is tried again.
            return
        except RoomwireError as error:
            if self._rooms.get(room.room_id) is room:
                self._left(room.room_id)
            self._context.on_error(error)

    async def _begin_count(self, room_id: str) -> None:
        self._assert_known(room_id)
        await self._requests.ask(count_frame(room_id), about=room_id, answered_by=("presenceCount", room_id))

    async def _go_out(self, room_id: str) -> None:
        """Leaving ends both being in a room and counting it: what is still wanted begins again."""
        room = self._rooms.get(room_id)
        frames = [encode_frame("presence", roomId=room_id, leave=True)]
        if room is not None:
            room.is_synchronized = False
            frames.append(enter_frame(room_id, room.presence, keep=True))
        if self._counts.has(room_id):
            frames.append(count_frame(room_id))
        await self._confirmed(room_id, frames, lambda _: None if room is not None else self._left(room_id))
        if room is not None:
            await self._synchronize(room)

    def _left(self, room_id: str) -> None:
        if (room := self._rooms.pop(room_id, None)) is not None:
            room.end()

    def _assert_known(self, room_id: str) -> None:
        """An older server would take every announcement for one of before."""
        if self._context.is_online() and not self._context.has("rooms"):
            raise RoomwireError("unsupported_feature", topic=room_id)

    def _emit(self, room: Room, changes: list[PresenceChange], is_first: bool = False) -> None:
        for change in changes:
            self._context.on_member(change)
            if not is_first and change.actor_token_id != self._own:
                room.tell(change)
                self._context.on_change(change)


def enter_frame(room_id: str, presence: PresenceData, keep: bool) -> bytes:
    return encode_frame("presence", roomId=room_id, data=dict(presence), keep=True if keep else None)


def count_frame(room_id: str) -> bytes:
    return encode_frame("presence", roomId=room_id, mode="count")
