# Made by `scripts/make_sync.py` from the module of the same name in `asynchronous`: do not edit.
"""What is going on in rooms. Fields have the names that they have in the REST API."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import cast

from .. import types
from .transport import Transport

if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack

MOST_OF_A_PAGE = 1000


class Presence:
    """Who is in rooms, and how many. A service that has just started does not know yet: `RestError` of status 503, after some tries."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, app_id: str, room_id: str, *, scope: str | None = None, limit: int = MOST_OF_A_PAGE, cursor: str | None = None
    ) -> types.PresencePage:
        """A page, by `actorTokenId`; `next` is the `cursor` of the one behind it, None on the last. `scope` is an `accessScopeId`."""
        query = {"scope": scope, "limit": limit, "cursor": cursor}
        return cast(types.PresencePage, self._transport.request("GET", f"apps/{app_id}/rooms/{room_id}/presence", query=query))

    def all(self, app_id: str, room_id: str, *, scope: str | None = None) -> Iterator[types.PresentActor]:
        """Page by page, as the loop goes on."""
        cursor: str | None = ""
        while cursor is not None:
            page = self.list(app_id, room_id, scope=scope, cursor=cursor or None)
            for actor in page["data"]:
                yield actor
            cursor = page["next"]

    def occupancy(self, app_id: str, rooms: Sequence[str], *, scope: str | None = None) -> Sequence[types.RoomOccupancy]:
        """How many are present in rooms, by their slugs, and how many connections are subscribed there. Unknown rooms are left out."""
        query = {"rooms": tuple(rooms), "scope": scope}
        answer = cast(types.Occupancy, self._transport.request("GET", f"apps/{app_id}/occupancy", query=query))
        return answer["data"]


class ScheduledPublishes:
    """What waits for its time, of the project."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, topic: str | None = None, limit: int = MOST_OF_A_PAGE, cursor: str | None = None) -> types.ScheduledPublishPage:
        """A page, the earliest first; `topic` is the whole address, `next` the `cursor` of the page behind it, None on the last."""
        query = {"topic": topic, "limit": limit, "cursor": cursor}
        return cast(types.ScheduledPublishPage, self._transport.request("GET", "scheduled", query=query))

    def cancel(self, scheduled_id: str) -> None:
        """Raises `RestError` of status 404 once it was delivered."""
        self._transport.request("DELETE", f"scheduled/{scheduled_id}")


class JobGroups:
    """Worker groups with jobs, of a room."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, app_id: str, room_id: str, *, limit: int = MOST_OF_A_PAGE, cursor: str | None = None) -> types.JobGroupPage:
        """A page; `next` is the `cursor` of the one behind it, None on the last."""
        query = {"limit": limit, "cursor": cursor}
        return cast(types.JobGroupPage, self._transport.request("GET", groups_of(app_id, room_id), query=query))

    def create(self, app_id: str, room_id: str, **group: Unpack[types.NewJobGroup]) -> types.JobGroup:
        """Collects jobs from now on, until it is deleted, whether or not it has members; once more, its options are replaced."""
        return cast(types.JobGroup, self._transport.request("POST", groups_of(app_id, room_id), json=group))

    def get(self, app_id: str, room_id: str, group_id: str) -> types.JobGroup:
        return cast(types.JobGroup, self._transport.request("GET", f"{groups_of(app_id, room_id)}/{group_id}"))

    def delete(self, app_id: str, room_id: str, group_id: str) -> None:
        """Its jobs with it; the subscriptions of its members end."""
        self._transport.request("DELETE", f"{groups_of(app_id, room_id)}/{group_id}")


def groups_of(app_id: str, room_id: str) -> str:
    return f"apps/{app_id}/rooms/{room_id}/groups"
