"""Rooms of which the client knows how many actors are there, and not who."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..errors import ConnectionError, RoomwireError, caused_by

CountHandler = Callable[[int], object]


class Count:
    """How many actors are in a room. As an `async with` it ends with the block."""

    def __init__(self, room_id: str, handler: CountHandler | None, stop: Callable[[Count], Awaitable[None]]) -> None:
        self.room_id = room_id
        self.present = 0
        """As the server has said last, at most once a second."""
        self._handler = handler
        self._stop = stop

    async def stop(self) -> None:
        """Stops the handler at once. Returns when the server has confirmed, or cannot. May be called again."""
        await self._stop(self)

    async def __aenter__(self) -> Count:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def become(self, present: int) -> None:
        self.present = present
        if self._handler is not None:
            self._handler(present)


class Counts:
    def __init__(
        self,
        persist: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]],
        request: Callable[[str], Awaitable[None]],
        end: Callable[[str], Awaitable[None]],
        is_online: Callable[[], bool],
        on_error: Callable[[RoomwireError], None],
    ) -> None:
        self._persist = persist
        self._request = request
        self._end = end
        self._is_online = is_online
        self._on_error = on_error
        self._counts: dict[str, Count] = {}

    @property
    def running(self) -> tuple[Count, ...]:
        return tuple(self._counts.values())

    def has(self, room_id: str) -> bool:
        return room_id in self._counts

    async def begin(self, room_id: str, handler: CountHandler | None) -> Count:
        if self.has(room_id):
            raise RoomwireError("subscription_conflict", topic=room_id)
        count = self._counts[room_id] = Count(room_id, handler, self._leave)
        try:
            await self._request(room_id)
        except BaseException:
            self._forget(count)
            raise
        return count

    async def begin_again(self, count: Count) -> None:
        """On another connection."""

        async def request() -> None:
            if self._counts.get(count.room_id) is count:
                await self._request(count.room_id)

        try:
            await self._persist(request)
        except ConnectionError:
            # A connection that is lost again is tried again.
            return
        except RoomwireError as error:
            self._forget(count)
            self._on_error(error)

    def changed(self, room_id: str, present: int) -> None:
        count = self._counts.get(room_id)
        if count is None:
            return
        try:
            count.become(present)
        except Exception as cause:
            self._on_error(caused_by(RoomwireError("handler_failed", topic=room_id, help=repr(cause)), cause))

    def close(self) -> None:
        self._counts.clear()

    async def _leave(self, count: Count) -> None:
        if not self._forget(count) or not self._is_online():
            return
        try:
            await self._end(count.room_id)
        except RoomwireError:
            # A connection that is lost ends it as well.
            return

    def _forget(self, count: Count) -> bool:
        return self._counts.get(count.room_id) is count and self._counts.pop(count.room_id) is count
