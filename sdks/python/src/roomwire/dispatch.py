"""Hands each frame to the part of the client that it concerns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import RoomwireError
from .history import Histories
from .presence.lobbies import Lobbies
from .presence.rooms import Rooms
from .protocol import frames
from .protocol.read_frame import protocol_error
from .publishes.publishes import Publishes
from .requests import Requests
from .subscriptions.message import UnplacedHydration
from .subscriptions.subscriptions import Subscriptions


@dataclass(frozen=True)
class Parts:
    subscriptions: Subscriptions
    publishes: Publishes
    requests: Requests
    rooms: Rooms
    lobbies: Lobbies
    histories: Histories
    on_error: Callable[[RoomwireError], None]
    on_hydration: Callable[[UnplacedHydration], None]
    on_token_expiring: Callable[[int], None]


Dispatch = Callable[[frames.ServerFrame], None]


def dispatch_to(parts: Parts) -> Dispatch:
    """Frames that are not in the table concern the connection, which has had them."""
    subscriptions, requests, lobbies = parts.subscriptions, parts.requests, parts.lobbies

    def lobby_subscribed(frame: frames.LobbySubscribed) -> None:
        lobbies.opened(frame)
        requests.answered("lobbySubscribed", frame.lobby_id, frame)

    def counted(frame: frames.PresenceCount) -> None:
        parts.rooms.counted(frame)
        requests.answered("presenceCount", frame.room_id, frame)

    def hydrated(frame: frames.HydrationFrame) -> None:
        parts.on_hydration(subscriptions.hydrated(frame.topic, frame.data))

    table: dict[type, Callable[[Any], None]] = {
        frames.Delivered: subscriptions.deliver,
        frames.Accepted: parts.publishes.accepted,
        frames.Subscribed: subscriptions.subscribed,
        frames.Unsubscribed: lambda frame: subscriptions.unsubscribed(frame.topic),
        frames.SubscriptionEnded: lambda frame: subscriptions.ended_by_server(frame.topic, frame.reason),
        frames.FiltersUpdated: lambda frame: subscriptions.filters_updated(frame.topic),
        frames.ReplayStart: lambda frame: subscriptions.replay_started(frame.topic),
        frames.ReplayEnd: lambda frame: subscriptions.replay_ended(frame.topic),
        frames.HydrationFrame: hydrated,
        frames.HistoryPage: lambda frame: requests.answered("history", frame.ref, frame),
        frames.PresenceEvent: parts.rooms.changed,
        frames.PresenceCount: counted,
        frames.PresenceList: lambda frame: requests.answered("presenceList", frame.room_id, frame),
        frames.LobbySubscribed: lobby_subscribed,
        frames.LobbyPresenceList: lambda frame: requests.answered("lobbyPresenceList", frame.lobby_id, frame),
        frames.LobbyUnsubscribed: lambda frame: requests.answered("lobbyUnsubscribed", frame.lobby_id, frame),
        frames.LobbyEventFrame: lobbies.changed,
        frames.TokenExpiring: lambda frame: parts.on_token_expiring(frame.auth_expires_at),
        frames.ErrorFrame: lambda frame: refused(parts, frame),
    }

    def dispatch(frame: frames.ServerFrame) -> None:
        handle = table.get(type(frame))
        if handle is not None:
            handle(frame)

    return dispatch


def refused(parts: Parts, frame: frames.ErrorFrame) -> None:
    error = protocol_error(frame)
    if not is_answer(parts, frame, error):
        parts.on_error(error)


def is_answer(parts: Parts, frame: frames.ErrorFrame, error: RoomwireError) -> bool:
    """`msgRef` means a publish, `ref` a question about history; without them the topic, the room or the lobby tells which request
    it was."""
    if error.msg_ref is not None:
        return parts.publishes.refused(error)
    if frame.ref is not None:
        return parts.requests.refused(frame.ref, error)
    return parts.subscriptions.refused(error) or parts.requests.refused(error.lobby_id or error.topic, error)
