"""Roomwire for Python: publish and subscribe over one WebSocket that comes back by itself.

`roomwire.rest` has the clients of the REST API, for synchronous code and for asyncio.
"""

from .client import Client, connect
from .connection.state import Closed, Connected, Connecting, ConnectionState, Waiting
from .errors import AuthenticationError, ConnectionError, RoomwireError
from .options import Backoff, Heartbeat, Timeouts, TokenFunction, TokenRequest
from .presence.changes import LobbySnapshot, PresenceChange
from .presence.counts import Count
from .presence.lobbies import Lobby, LobbyEvent
from .presence.rooms import Room
from .protocol.frames import Filter, LobbyContents, MessageMeta, PresenceData, PresenceEntry, RestoredSubscription, Session
from .publishes.publishes import Published, Qos
from .subscriptions.jobs import Job, Jobs
from .subscriptions.message import Gap, Hydration, Message, UnplacedHydration
from .subscriptions.subscription import JobHandler, JobSubscription, MessageHandler, Subscription

__all__ = [
    "AuthenticationError",
    "Backoff",
    "Client",
    "Closed",
    "Connected",
    "Connecting",
    "ConnectionError",
    "ConnectionState",
    "Count",
    "Filter",
    "Gap",
    "Heartbeat",
    "Hydration",
    "Job",
    "JobHandler",
    "JobSubscription",
    "Jobs",
    "Lobby",
    "LobbyContents",
    "LobbyEvent",
    "LobbySnapshot",
    "Message",
    "MessageHandler",
    "MessageMeta",
    "PresenceChange",
    "PresenceData",
    "PresenceEntry",
    "Published",
    "Qos",
    "RestoredSubscription",
    "Room",
    "RoomwireError",
    "Session",
    "Subscription",
    "Timeouts",
    "TokenFunction",
    "TokenRequest",
    "UnplacedHydration",
    "Waiting",
    "connect",
]
