"""Checks the fields that the client uses. Raises `TypeError` for anything that is no frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ..errors import RoomwireError
from .fields import Fields, list_of, map_of, number, optional, text
from .frames import (
    Accepted,
    AuthRefused,
    Delivered,
    ErrorFrame,
    FiltersUpdated,
    HistoryGap,
    HistoryPage,
    HydrationFrame,
    KeptMessage,
    LobbyEventFrame,
    LobbyPresenceList,
    LobbySubscribed,
    LobbyUnsubscribed,
    MessageMeta,
    PresenceCount,
    PresenceEntry,
    PresenceEvent,
    PresenceKind,
    PresenceList,
    Reauthenticated,
    ReplayEnd,
    ReplayStart,
    RestoredSubscription,
    ServerFrame,
    Session,
    Subscribed,
    SubscriptionEnded,
    TokenExpiring,
    Unsubscribed,
)


def read_frame(value: object) -> ServerFrame | None:
    """None for a type that the client does not know: a newer server may send some."""
    fields = map_of(value, "A frame")
    reader = READERS.get(text(fields, "type"))
    return None if reader is None else reader(fields)


def auth_of(fields: Fields) -> Session | AuthRefused:
    if fields.get("success") is not True:
        return AuthRefused(text(fields, "error"))
    restored = fields.get("restoredSubscriptions")
    features = fields.get("features")
    return Session(
        actor_token_id=text(fields, "actorTokenId"),
        project_id=text(fields, "projectId"),
        actor_type=text(fields, "actorType"),
        protocol_version=number(fields, "protocolVersion", 1),
        restored_subscriptions=tuple(map(restored_of, list_of(restored, "restoredSubscriptions") if restored else ())),
        features=frozenset(name for name in features if isinstance(name, str)) if features else frozenset(),
        auth_expires_at=expiry_of(fields),
    )


def restored_of(value: object) -> RestoredSubscription:
    fields = map_of(value, "A restored subscription")
    filters = fields.get("filters")
    return RestoredSubscription(
        pattern=text(fields, "pattern"),
        load_balance=fields.get("load_balance") is True,
        load_balance_group=optional(fields, "load_balance_group", str),
        filters=tuple(filters) if isinstance(filters, list) else (),
        meta=fields.get("meta") is True,
        own=fields.get("own") is True,
    )


def reauth_of(fields: Fields) -> Reauthenticated:
    if fields.get("success") is True:
        return Reauthenticated(None, expiry_of(fields))
    return Reauthenticated(text(fields, "error"), None)


def expiry_of(fields: Fields) -> int | None:
    return None if fields.get("authExpiresAt") is None else number(fields, "authExpiresAt")


def delivered_of(fields: Fields) -> Delivered:
    return Delivered(
        topic=text(fields, "topic"),
        data=fields.get("data"),
        msg_id=optional(fields, "msgId", str),
        requires_ack=fields.get("requiresAck") is True,
        is_replay=fields.get("isReplay") is True,
        filter=optional(fields, "filter", str),
        meta=None if fields.get("meta") is None else meta_of(fields["meta"]),
        delivery=number(fields, "delivery", 1),
    )


def meta_of(value: object) -> MessageMeta:
    fields = map_of(value, "meta")
    return MessageMeta(
        id=text(fields, "id"),
        at=number(fields, "at"),
        sender=optional(fields, "from", str),
        position=optional(fields, "position", str),
    )


def gap_of(value: object) -> HistoryGap | None:
    if value is None:
        return None
    fields = map_of(value, "gap")
    return HistoryGap(text(fields, "reason"), optional(fields, "after", str), optional(fields, "before", str))


def history_of(fields: Fields) -> HistoryPage:
    return HistoryPage(
        ref=optional(fields, "ref", str),
        messages=tuple(map(kept_of, list_of(fields.get("messages"), "messages"))),
        next=optional(fields, "next", str),
        gap=gap_of(fields.get("gap")),
    )


def kept_of(value: object) -> KeptMessage:
    fields = map_of(value, "A message")
    return KeptMessage(fields.get("data"), optional(fields, "filter", str), meta_of(fields))


def presence_of(fields: Fields) -> PresenceEvent:
    data = map_of(fields.get("data"), "data")
    kind = kind_of(fields)
    presence = {} if kind == "leave" else map_of(data.get("presence"), "presence")
    return PresenceEvent(optional(fields, "roomId", str), kind, text(data, "actor_token_id"), presence)


def kind_of(fields: Fields) -> PresenceKind:
    kind = text(fields, "event")
    if kind not in ("join", "update", "leave"):
        raise TypeError("No such event")
    return cast(PresenceKind, kind)


def entry_of(value: object) -> PresenceEntry:
    fields = map_of(value, "An entry")
    presence = map_of(fields.get("presence"), "presence")
    return PresenceEntry(text(fields, "actorTokenId"), presence, number(fields, "joinedAt"))


def contents_of(fields: Fields) -> dict[str, dict[str, PresenceEntry]]:
    return {
        room: {actor: entry_of(entry) for actor, entry in map_of(actors, "presence").items()}
        for room, actors in map_of(fields.get("presence"), "presence").items()
    }


def lobby_event_of(fields: Fields) -> LobbyEventFrame:
    return LobbyEventFrame(
        kind=kind_of(fields),
        lobby_id=text(fields, "lobbyId"),
        room_id=text(fields, "roomId"),
        actor_token_id=text(fields, "actorId"),
        presence=map_of(fields.get("data"), "data"),
    )


def error_of(fields: Fields) -> ErrorFrame:
    return ErrorFrame(
        error=text(fields, "error"),
        code=None if fields.get("code") is None else number(fields, "code"),
        # Of what concerns a room and no topic, the room.
        topic=optional(fields, "topic", str) or optional(fields, "roomId", str),
        hint=optional(fields, "hint", str),
        msg_ref=optional(fields, "msgRef", str),
        max_size_bytes=None if fields.get("maxSizeBytes") is None else number(fields, "maxSizeBytes"),
        lobby_id=optional(fields, "lobbyId", str),
        ref=optional(fields, "ref", str),
    )


READERS: dict[str, Callable[[Fields], Any]] = {
    "auth": auth_of,
    "reauth": reauth_of,
    "tokenExpiring": lambda fields: TokenExpiring(number(fields, "authExpiresAt")),
    "subscribed": lambda fields: Subscribed(text(fields, "topic"), optional(fields, "position", str), gap_of(fields.get("gap"))),
    "unsubscribed": lambda fields: Unsubscribed(text(fields, "topic")),
    "subscriptionEnded": lambda fields: SubscriptionEnded(text(fields, "topic"), text(fields, "reason")),
    "filtersUpdated": lambda fields: FiltersUpdated(text(fields, "topic")),
    "replayStart": lambda fields: ReplayStart(optional(fields, "topic", str)),
    "replayEnd": lambda fields: ReplayEnd(optional(fields, "topic", str)),
    "message": delivered_of,
    "published": lambda fields: Accepted(text(fields, "msgRef"), fields.get("duplicate") is True, optional(fields, "scheduledId", str)),
    "hydration": lambda fields: HydrationFrame(text(fields, "topic"), fields.get("data")),
    "history": history_of,
    "presence": presence_of,
    "presenceCount": lambda fields: PresenceCount(text(fields, "roomId"), number(fields, "present")),
    "presenceList": lambda fields: PresenceList(optional(fields, "roomId", str), tuple(map(entry_of, list_of(fields.get("data"), "data")))),
    "lobbySubscribed": lambda fields: LobbySubscribed(text(fields, "lobbyId"), contents_of(fields)),
    "lobbyPresenceList": lambda fields: LobbyPresenceList(text(fields, "lobbyId"), contents_of(fields)),
    "lobbyUnsubscribed": lambda fields: LobbyUnsubscribed(text(fields, "lobbyId")),
    "lobbyPresence": lobby_event_of,
    "error": error_of,
}


def protocol_error(frame: ErrorFrame) -> RoomwireError:
    """`too_many_filters (max 100)` has the name `too_many_filters`; the whole text stays in the message."""
    return RoomwireError(
        frame.error.split(" (", 1)[0],
        message=f"The server answered {frame.error}",
        code=frame.code,
        topic=frame.topic,
        hint=frame.hint,
        msg_ref=frame.msg_ref,
        max_size_bytes=frame.max_size_bytes,
        lobby_id=frame.lobby_id,
    )
