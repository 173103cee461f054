# Made by `scripts/make_sync.py` from the module of the same name in `asynchronous`: do not edit.
"""The resources of a project. Fields have the names that they have in the REST API; its description is at `/docs` of the server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Literal, cast

from .. import types
from .transport import Transport

if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack

MOST_OF_A_PAGE = 100


class Apps:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page: int | None = None,
        limit: int | None = None,
        name: str | None = None,
        status: Literal["active", "disabled", "suspended"] | None = None,
    ) -> types.AppPage:
        query = {"page": page, "limit": limit, "name": name, "status": status}
        return cast(types.AppPage, self._transport.request("GET", "apps", query=query))

    def create(self, **app: Unpack[types.NewApp]) -> types.App:
        """The stored `slug`, which is the first segment of addresses, ends in four hex digits."""
        return cast(types.App, self._transport.request("POST", "apps", json=app))

    def get(self, app_id: str) -> types.App:
        return cast(types.App, self._transport.request("GET", f"apps/{app_id}"))

    def update(self, app_id: str, **changes: Unpack[types.AppChanges]) -> types.App:
        return cast(types.App, self._transport.request("PATCH", f"apps/{app_id}", json=changes))

    def delete(self, app_id: str) -> None:
        self._transport.request("DELETE", f"apps/{app_id}")


class Rooms:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = MOST_OF_A_PAGE,
        cursor: str | None = None,
        name: str | None = None,
        slug: str | None = None,
    ) -> types.RoomPage:
        """A page, the newest first; `next` is the `cursor` of the one behind it, None on the last."""
        query = {"limit": limit, "cursor": cursor, "name": name, "slug": slug}
        return cast(types.RoomPage, self._transport.request("GET", f"apps/{app_id}/rooms", query=query))

    def all(self, app_id: str) -> Iterator[types.Room]:
        """Page by page, as the loop goes on."""
        cursor: str | None = ""
        while cursor is not None:
            page = self.list(app_id, cursor=cursor or None)
            for room in page["data"]:
                yield room
            cursor = page["next"]

    def create(self, app_id: str, **room: Unpack[types.NewRoom]) -> types.Room:
        return cast(types.Room, self._transport.request("POST", f"apps/{app_id}/rooms", json=room))

    def ensure(self, app_id: str, **room: Unpack[types.NewRoom]) -> types.Room:
        """Makes the room, if there is none of its slug."""
        return cast(types.Room, self._transport.request("POST", f"apps/{app_id}/rooms/ensure", json=room))

    def get(self, app_id: str, room_id: str) -> types.Room:
        return cast(types.Room, self._transport.request("GET", f"apps/{app_id}/rooms/{room_id}"))

    def update(self, app_id: str, room_id: str, **changes: Unpack[types.RoomChanges]) -> types.Room:
        return cast(types.Room, self._transport.request("PATCH", f"apps/{app_id}/rooms/{room_id}", json=changes))

    def delete(self, app_id: str, room_id: str) -> None:
        self._transport.request("DELETE", f"apps/{app_id}/rooms/{room_id}")


class Grants:
    """Who may use a room. While there is one, the room is private."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, app_id: str, room_id: str, *, limit: int = MOST_OF_A_PAGE, cursor: str | None = None) -> types.RoomGrantPage:
        query = {"limit": limit, "cursor": cursor}
        return cast(types.RoomGrantPage, self._transport.request("GET", grants_of(app_id, room_id), query=query))

    def create(self, app_id: str, room_id: str, **grant: Unpack[types.NewRoomGrant]) -> types.RoomGrant:
        return cast(types.RoomGrant, self._transport.request("POST", grants_of(app_id, room_id), json=grant))

    def revoke(self, app_id: str, room_id: str, grant_id: str) -> None:
        """`grant_id` is its `roomActorAccessId`."""
        self._transport.request("DELETE", f"{grants_of(app_id, room_id)}/{grant_id}")


def grants_of(app_id: str, room_id: str) -> str:
    return f"apps/{app_id}/rooms/{room_id}/actors"


class Scopes:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, page: int | None = None, limit: int | None = None, slug: str | None = None, name: str | None = None
    ) -> types.ScopePage:
        query = {"page": page, "limit": limit, "slug": slug, "name": name}
        return cast(types.ScopePage, self._transport.request("GET", "scopes", query=query))

    def create(self, **scope: Unpack[types.NewScope]) -> types.Scope:
        return cast(types.Scope, self._transport.request("POST", "scopes", json=scope))

    def get(self, scope_id: str) -> types.Scope:
        return cast(types.Scope, self._transport.request("GET", f"scopes/{scope_id}"))

    def update(self, scope_id: str, **changes: Unpack[types.ScopeChanges]) -> types.Scope:
        return cast(types.Scope, self._transport.request("PATCH", f"scopes/{scope_id}", json=changes))

    def delete(self, scope_id: str) -> None:
        self._transport.request("DELETE", f"scopes/{scope_id}")

    def actors(self, scope_id: str) -> Any:
        """The actors that are bound to it."""
        return self._transport.request("GET", f"scopes/{scope_id}/actors")


class Actors:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, limit: int = MOST_OF_A_PAGE, cursor: str | None = None, name: str | None = None) -> types.ActorPage:
        """A page, the newest first; `next` is the `cursor` of the one behind it, None on the last."""
        query = {"limit": limit, "cursor": cursor, "name": name}
        return cast(types.ActorPage, self._transport.request("GET", "actors", query=query))

    def all(self) -> Iterator[types.Actor]:
        """Page by page, as the loop goes on."""
        cursor: str | None = ""
        while cursor is not None:
            page = self.list(cursor=cursor or None)
            for actor in page["data"]:
                yield actor
            cursor = page["next"]

    def create(self, **actor: Unpack[types.NewActor]) -> types.CreatedActor:
        """Its `accessToken` is shown this once."""
        return cast(types.CreatedActor, self._transport.request("POST", "actors", json=actor))

    def get(self, actor_id: str) -> types.Actor:
        return cast(types.Actor, self._transport.request("GET", f"actors/{actor_id}"))

    def update(self, actor_id: str, **changes: Unpack[types.ActorChanges]) -> types.Actor:
        return cast(types.Actor, self._transport.request("PATCH", f"actors/{actor_id}", json=changes))

    def delete(self, actor_id: str) -> None:
        self._transport.request("DELETE", f"actors/{actor_id}")


class SigningKeys:
    """Keys with which a backend signs client tokens."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page: int | None = None,
        limit: int | None = None,
        name: str | None = None,
        status: Literal["active", "disabled"] | None = None,
    ) -> types.SigningKeyPage:
        query = {"page": page, "limit": limit, "name": name, "status": status}
        return cast(types.SigningKeyPage, self._transport.request("GET", "signing-keys", query=query))

    def create(self, **key: Unpack[types.NewSigningKey]) -> types.CreatedSigningKey:
        """Its `signingKey` is shown this once."""
        return cast(types.CreatedSigningKey, self._transport.request("POST", "signing-keys", json=key))

    def get(self, signing_key_id: str) -> types.SigningKey:
        return cast(types.SigningKey, self._transport.request("GET", f"signing-keys/{signing_key_id}"))

    def update(self, signing_key_id: str, **changes: Unpack[types.SigningKeyChanges]) -> types.SigningKey:
        return cast(types.SigningKey, self._transport.request("PATCH", f"signing-keys/{signing_key_id}", json=changes))

    def delete(self, signing_key_id: str) -> None:
        self._transport.request("DELETE", f"signing-keys/{signing_key_id}")


class Messages:
    """What topics with history keep."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        app_id: str,
        room_id: str,
        topic: str,
        *,
        scope: str | None = None,
        before: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> types.MessageHistory:
        """The newest first, or with `after` the oldest first; `topic` is the name alone, `scope` an `accessScopeId`."""
        query = {"scope": scope, "before": before, "after": after, "limit": limit}
        return cast(types.MessageHistory, self._transport.request("GET", messages_of(app_id, room_id, topic), query=query))

    def delete(self, app_id: str, room_id: str, topic: str, *, scope: str | None = None) -> None:
        """Empties the topic for good, with its last value."""
        self._transport.request("DELETE", messages_of(app_id, room_id, topic), query={"scope": scope})


def messages_of(app_id: str, room_id: str, topic: str) -> str:
    return f"apps/{app_id}/rooms/{room_id}/topics/{topic}/messages"
