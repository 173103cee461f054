"""What the server sends, as far as the client uses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Filter = str | tuple[str, ...] | list[str]
"""A value, or an AND-group: all of its values must be on the publish."""

PresenceData = Mapping[str, Any]
"""What an actor says of itself in a room."""


@dataclass(frozen=True, slots=True)
class RestoredSubscription:
    """A subscription that the server had recorded for the actor and has restored."""

    pattern: str
    """`app/room/topic`"""
    load_balance: bool
    load_balance_group: str | None
    filters: tuple[Any, ...]
    meta: bool
    own: bool


@dataclass(frozen=True, slots=True)
class Session:
    """Whom the server has authenticated for a connection."""

    actor_token_id: str
    project_id: str
    actor_type: str
    protocol_version: int
    restored_subscriptions: tuple[RestoredSubscription, ...]
    features: frozenset[str]
    auth_expires_at: int | None = None
    """When the token expires, in Unix seconds, where the server says so."""


@dataclass(frozen=True, slots=True)
class MessageMeta:
    """What the service says of a message, and no publisher can."""

    id: str
    """The publisher's `id` for it, else one that the service has made."""
    at: int
    """When a gateway accepted it, in Unix milliseconds."""
    sender: str | None
    """`actorTokenId` of the publisher (`from` in the protocol); None for a backend."""
    position: str | None = None
    """Where it stands among the messages of its topic, on topics with history alone: a later one sorts behind."""


@dataclass(frozen=True, slots=True)
class PresenceEntry:
    """An actor in a room."""

    actor_token_id: str
    presence: PresenceData
    joined_at: int
    """Unix seconds."""


LobbyContents = Mapping[str, Mapping[str, PresenceEntry]]
"""By room slug, then by `actor_token_id`."""

PresenceKind = Literal["join", "update", "leave"]


@dataclass(frozen=True, slots=True)
class AuthRefused:
    error: str


@dataclass(frozen=True, slots=True)
class Reauthenticated:
    error: str | None
    auth_expires_at: int | None


@dataclass(frozen=True, slots=True)
class TokenExpiring:
    auth_expires_at: int


@dataclass(frozen=True, slots=True)
class HistoryGap:
    reason: str
    after: str | None
    before: str | None


@dataclass(frozen=True, slots=True)
class Subscribed:
    topic: str
    position: str | None
    gap: HistoryGap | None


@dataclass(frozen=True, slots=True)
class Unsubscribed:
    topic: str


@dataclass(frozen=True, slots=True)
class SubscriptionEnded:
    topic: str
    reason: str


@dataclass(frozen=True, slots=True)
class FiltersUpdated:
    topic: str


@dataclass(frozen=True, slots=True)
class ReplayStart:
    """Of a worker group that was away, it names no topic."""

    topic: str | None


@dataclass(frozen=True, slots=True)
class ReplayEnd:
    topic: str | None


@dataclass(frozen=True, slots=True)
class Delivered:
    topic: str
    data: Any
    msg_id: str | None
    requires_ack: bool
    is_replay: bool
    filter: str | None
    meta: MessageMeta | None
    delivery: int
    """How often a job was handed out."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """`published`"""

    msg_ref: str
    duplicate: bool
    scheduled_id: str | None


@dataclass(frozen=True, slots=True)
class HydrationFrame:
    topic: str
    """The name of the topic, without app and room."""
    data: Any


@dataclass(frozen=True, slots=True)
class KeptMessage:
    data: Any
    filter: str | None
    meta: MessageMeta


@dataclass(frozen=True, slots=True)
class HistoryPage:
    ref: str | None
    messages: tuple[KeptMessage, ...]
    next: str | None
    gap: HistoryGap | None


@dataclass(frozen=True, slots=True)
class PresenceEvent:
    room_id: str | None
    """As the client has it; None where it can be one room alone."""
    kind: PresenceKind
    actor_token_id: str
    presence: PresenceData


@dataclass(frozen=True, slots=True)
class PresenceList:
    room_id: str | None
    entries: tuple[PresenceEntry, ...]


@dataclass(frozen=True, slots=True)
class PresenceCount:
    room_id: str
    present: int


@dataclass(frozen=True, slots=True)
class LobbySubscribed:
    lobby_id: str
    presence: dict[str, dict[str, PresenceEntry]]


@dataclass(frozen=True, slots=True)
class LobbyPresenceList:
    lobby_id: str
    presence: dict[str, dict[str, PresenceEntry]]


@dataclass(frozen=True, slots=True)
class LobbyUnsubscribed:
    lobby_id: str


@dataclass(frozen=True, slots=True)
class LobbyEventFrame:
    kind: PresenceKind
    lobby_id: str
    room_id: str
    actor_token_id: str
    presence: PresenceData


@dataclass(frozen=True, slots=True)
class ErrorFrame:
    error: str
    code: int | None
    topic: str | None
    hint: str | None
    msg_ref: str | None
    max_size_bytes: int | None
    lobby_id: str | None
    ref: str | None


ServerFrame = (
    Session
    | AuthRefused
    | Reauthenticated
    | TokenExpiring
    | Subscribed
    | Unsubscribed
    | SubscriptionEnded
    | FiltersUpdated
    | ReplayStart
    | ReplayEnd
    | Delivered
    | Accepted
    | HydrationFrame
    | HistoryPage
    | PresenceEvent
    | PresenceList
    | PresenceCount
    | LobbySubscribed
    | LobbyPresenceList
    | LobbyUnsubscribed
    | LobbyEventFrame
    | ErrorFrame
)
"""The frames that this version acts on. It passes over all others."""
