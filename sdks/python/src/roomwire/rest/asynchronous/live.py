"""What is going on in rooms. Fields have the names that they have in the REST API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import cast

from .. import types
from .transport import Transport

MOST_OF_A_PAGE = 1000


class Presence:
    """Who is in rooms, and how many. A service that has just started does not know yet: `RestError` of status 503, after some tries."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(
        self, app_id: str, room_id: str, *, scope: str | None = None, limit: int = MOST_OF_A_PAGE, cursor: str | None = None
    ) -> types.PresencePage:
        """A page, by `actorTokenId`; `next` is the `cursor` of the one behind it, None on the last. `scope` is an `accessScopeId`."""
        query = {"scope": scope, "limit": limit, "cursor": cursor}
        return cast(types.PresencePage, await self._transport.request("GET", f"apps/{app_id}/rooms/{room_id}/presence", query=query))

    async def all(self, app_id: str, room_id: str, *, scope: str | None = None) -> AsyncIterator[types.PresentActor]:
        """Page by page, as the loop goes on."""
        cursor: str | None = ""
        while cursor is not None:
            page = await self.list(app_id, room_id, scope=scope, cursor=cursor or None)
            for actor in page["data"]:
                yield actor
            cursor = page["next"]

    async def occupancy(self, app_id: str, rooms: Sequence[str], *, scope: str | None = None) -> Sequence[types.RoomOccupancy]:
        """How many are present in rooms, by their slugs, and how many connections are subscribed there. Unknown rooms are left out."""
        query = {"rooms": tuple(rooms), "scope": scope}
        answer = cast(types.Occupancy, await self._transport.request("GET", f"apps/{app_id}/occupancy", query=query))
        return answer["data"]
