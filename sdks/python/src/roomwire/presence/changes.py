"""What happens in a room, and streams of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from ..buffers import Buffer, Ended
from ..errors import RoomwireError
from ..protocol.frames import LobbyContents, PresenceEntry, PresenceKind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PresenceChange:
    """An actor has joined or left a room, or what it says of itself is another."""

    event: PresenceKind
    room_id: str
    """As it was entered; of a lobby the slug of the room."""
    actor_token_id: str
    before: PresenceEntry | None
    """None for a `join`."""
    after: PresenceEntry | None
    """None for a `leave`."""


@dataclass(frozen=True, slots=True)
class LobbySnapshot:
    """Who is in the rooms of a lobby, at first and after every reconnect."""

    presence: LobbyContents
    event: Literal["snapshot"] = "snapshot"


def change_of(
    kind: PresenceKind, room_id: str, actor_token_id: str, before: PresenceEntry | None, after: PresenceEntry | None
) -> PresenceChange:
    """What the server calls a `join` of an actor that is known to be there is an update of it."""
    if kind == "join" and before is not None:
        kind = "update"
    return PresenceChange(kind, room_id, actor_token_id, before, after)


def differences(room_id: str, before: Mapping[str, PresenceEntry], after: Mapping[str, PresenceEntry]) -> list[PresenceChange]:
    """What must have happened in between."""
    left = [PresenceChange("leave", room_id, actor, entry, None) for actor, entry in before.items() if actor not in after]
    joined = [PresenceChange("join", room_id, actor, None, entry) for actor, entry in after.items() if actor not in before]
    updated = [
        PresenceChange("update", room_id, actor, before[actor], entry)
        for actor, entry in after.items()
        if actor in before and before[actor].presence != entry.presence
    ]
    return left + joined + updated


class Broadcast(Generic[T]):
    """Hands each item to every stream that is open."""

    def __init__(self, size: int = 1000) -> None:
        self._size = size
        self._buffers: list[Buffer[T]] = []
        self._has_ended = False

    def send(self, item: T) -> None:
        for buffer in list(self._buffers):
            if not buffer.put(item):
                buffer.end(RoomwireError("buffer_overflow"))
                self._buffers.remove(buffer)

    def end(self) -> None:
        self._has_ended = True
        for buffer in self._buffers:
            buffer.end()

    def stream(self) -> AsyncGenerator[T, None]:
        """From now on, not from the first step of the loop on."""
        buffer: Buffer[T] = Buffer(self._size)
        if self._has_ended:
            buffer.end()
        self._buffers.append(buffer)
        return self._read(buffer, lambda: self._buffers.remove(buffer) if buffer in self._buffers else None)

    async def _read(self, buffer: Buffer[T], stop: Callable[[], None]) -> AsyncGenerator[T, None]:
        try:
            while True:
                yield await buffer.take()
        except Ended:
            return
        finally:
            stop()
