"""The client: a connection that is restored whenever it is lost, with what was asked of it."""

from __future__ import annotations

import asyncio
import logging
import ssl as ssl_module
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, overload

from .connection.connection import Connection, ConnectionEvents
from .connection.environment import Environment, system_environment
from .connection.state import Closed, Connected, ConnectionState, Waiting
from .dispatch import Parts, dispatch_to
from .emitter import Emitter
from .errors import ConnectionError, RoomwireError, caused_by
from .futures import new_future, reject, resolve
from .history import Histories, HistoryRange
from .options import Backoff, Heartbeat, Settings, Timeouts, TokenFunction
from .presence.changes import PresenceChange
from .presence.counts import Count, CountHandler
from .presence.lobbies import Lobbies, LobbiesContext, Lobby, LobbyHandler
from .presence.rooms import Room, Rooms, RoomsContext
from .protocol.frames import Filter, LobbyContents, PresenceData, PresenceEntry, Session
from .publishes.publishes import Published, Publishes, PublishOptions, Qos
from .requests import Requests
from .subscriptions.jobs import Jobs
from .subscriptions.message import Message, UnplacedHydration
from .subscriptions.options import SubscribeOptions, filters_of
from .subscriptions.subscription import (
    GapHandler,
    HydrationHandler,
    JobHandler,
    MessageHandler,
    Subscribing,
    Subscription,
    Working,
)
from .subscriptions.subscriptions import Receiver, Subscriptions, SubscriptionsContext

logger = logging.getLogger("roomwire")

STREAM_BUFFER = 1000
GROUP_BUFFER = 10_000
"""As many as the server keeps unfinished for a worker group."""


def connect(
    url: str,
    token: str | TokenFunction,
    *,
    client_id: str | None = None,
    resume: bool = False,
    reconnect: Backoff | None = Backoff(),  # noqa: B008 - frozen
    heartbeat: Heartbeat = Heartbeat(),  # noqa: B008
    timeouts: Timeouts = Timeouts(),  # noqa: B008
    ssl: ssl_module.SSLContext | None = None,
    headers: Mapping[str, str] | None = None,
) -> Client:
    """A client, to be used with `async with`, which waits for the first connection and closes the client at the end.

    - `url`: `ws://…/ws` or `wss://…/ws`.
    - `token`: an actor's access token or a client token, or a function that gives one. With a function a token that expires is
      renewed in time, without closing anything.
    - `client_id`, `resume`: the persistent session of an agent or an orchestrator: with `resume` the server restores what it has
      recorded for this `client_id` at every connect.
    - `reconnect`: the waits between attempts; None makes the first failure final.

    Raises `ValueError` when the options are wrong; every other failure is a state of the client.
    """
    settings = Settings(url, token, client_id, resume, reconnect, heartbeat, timeouts, ssl, headers)
    return Client(settings, system_environment(settings))


class Client:
    """Made by `connect`. Belongs to the event loop in which it is started, and is not for other threads."""

    def __init__(self, settings: Settings, environment: Environment) -> None:
        self._connection = Connection(settings, environment, ConnectionEvents(self._changed, self._received, self._report))
        self._states: Emitter[ConnectionState] = Emitter()
        self._errors: Emitter[RoomwireError] = Emitter()
        self._presence: Emitter[PresenceChange] = Emitter()
        self._members: Emitter[PresenceChange] = Emitter()
        self._hydrations: Emitter[UnplacedHydration] = Emitter()
        self._expirations: Emitter[int] = Emitter()
        self._features: frozenset[str] = frozenset()
        self._tasks: set[asyncio.Task[None]] = set()
        connection, timeouts = self._connection, settings.timeouts

        def is_online() -> bool:
            return connection.is_online

        def has(feature: str) -> bool:
            return feature in self._features

        requests = Requests(connection.send, timeouts.request, environment.random, self._report)
        self._parts = Parts(
            subscriptions=Subscriptions(
                SubscriptionsContext(timeouts.request, environment.random, is_online, has, connection.send, self._report)
            ),
            publishes=Publishes(connection.send, is_online, environment.new_id, timeouts),
            requests=requests,
            rooms=Rooms(
                requests,
                RoomsContext(environment.clock, is_online, has, self._spawn, self._members.emit, self._presence.emit, self._report),
            ),
            lobbies=Lobbies(requests, LobbiesContext(environment.clock, is_online, self._spawn, self._report)),
            histories=Histories(requests, is_online, has),
            on_error=self._report,
            on_hydration=self._hydrations.emit,
            on_token_expiring=self._expirations.emit,
        )
        self._dispatch = dispatch_to(self._parts)

    @property
    def state(self) -> ConnectionState:
        return self._connection.state

    @property
    def features(self) -> frozenset[str]:
        """What the server has that not every server has; empty before the first connection, and then as of the last one."""
        return self._features

    async def __aenter__(self) -> Client:
        self.start()
        try:
            await self.ready()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Connects, without waiting for it: for those who subscribe before the connection is there. Call `close` at the end."""
        self._connection.start()

    async def ready(self) -> Session:
        """Returns when the client is connected: at once, or after as many attempts as it takes.

        Raises the reason when it is closed: an `AuthenticationError`, or a `ConnectionError`.
        """
        answer: asyncio.Future[Session] = new_future()

        def settle(state: ConnectionState) -> None:
            if isinstance(state, Connected):
                resolve(answer, state.session)
            elif isinstance(state, Closed):
                reject(answer, state.reason)

        remove = self._states.on(settle)
        try:
            settle(self.state)
            return await answer
        finally:
            remove()

    async def close(self) -> None:
        """For good. `ready`, `subscribe` and `set_filters` that wait for an answer raise `client_closed`, every other request
        `connection_lost`; handlers that are running are cancelled. Returns when the socket is gone. May be called again."""
        await self._connection.close()
        await self._parts.subscriptions.finish()
        tasks = self._tasks - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @overload
    def on(self, event: Literal["state"], listener: Callable[[ConnectionState], None]) -> Callable[[], None]: ...
    @overload
    def on(self, event: Literal["error"], listener: Callable[[RoomwireError], None]) -> Callable[[], None]: ...
    @overload
    def on(self, event: Literal["presence"], listener: Callable[[PresenceChange], None]) -> Callable[[], None]: ...
    @overload
    def on(self, event: Literal["member"], listener: Callable[[PresenceChange], None]) -> Callable[[], None]: ...
    @overload
    def on(self, event: Literal["hydration"], listener: Callable[[UnplacedHydration], None]) -> Callable[[], None]: ...
    @overload
    def on(self, event: Literal["token_expiring"], listener: Callable[[int], None]) -> Callable[[], None]: ...
    def on(self, event: str, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls `listener`, which must not block, at each event; the function that it returns stops that.

        - `state`: every change of `state`.
        - `error`: what no call raises: a handler that failed (`handler_failed`), a subscription that was refused after a reconnect
          or ended, a frame that cannot be read. Without a listener it is logged, as a warning of the logger `roomwire`.
        - `presence`: what changes in the rooms that the client is in, as in `Room.changes`.
        - `member`: every change of `Room.members`, that of the own actor and those who were there before included.
        - `hydration`: what a hydration webhook has answered to a subscribe; see also `on_hydration` there.
        - `token_expiring`: the token in use is about to expire, with the Unix seconds of that; a token function is called by itself.
        """
        emitters: dict[str, Emitter[Any]] = {
            "state": self._states,
            "error": self._errors,
            "presence": self._presence,
            "member": self._members,
            "hydration": self._hydrations,
            "token_expiring": self._expirations,
        }
        return emitters[event].on(listener)

    @overload
    def subscribe(
        self,
        topic: str,
        handler: JobHandler | None = None,
        *,
        jobs: Jobs,
        qos: Qos = 1,
        filters: Sequence[Filter] = (),
        group: str | Literal[True] | None = None,
        ack: Literal["auto", "manual"] = "auto",
        concurrency: int = 1,
        meta: bool = False,
        own: bool = False,
        on_hydration: HydrationHandler | None = None,
        buffer_size: int | None = None,
    ) -> Working: ...
    @overload
    def subscribe(
        self,
        topic: str,
        handler: MessageHandler | None = None,
        *,
        qos: Qos = 1,
        filters: Sequence[Filter] = (),
        group: str | Literal[True] | None = None,
        ack: Literal["auto", "manual"] = "auto",
        concurrency: int = 1,
        meta: bool = False,
        own: bool = False,
        rewind: int | datetime | None = None,
        resume: bool | str = False,
        on_gap: GapHandler | None = None,
        on_hydration: HydrationHandler | None = None,
        buffer_size: int | None = None,
    ) -> Subscribing: ...
    def subscribe(
        self,
        topic: str,
        handler: MessageHandler | JobHandler | None = None,
        *,
        jobs: Jobs | None = None,
        qos: Qos = 1,
        filters: Sequence[Filter] = (),
        group: str | Literal[True] | None = None,
        ack: Literal["auto", "manual"] = "auto",
        concurrency: int = 1,
        meta: bool = False,
        own: bool = False,
        rewind: int | datetime | None = None,
        resume: bool | str = False,
        on_gap: GapHandler | None = None,
        on_hydration: HydrationHandler | None = None,
        buffer_size: int | None = None,
    ) -> Subscribing:
        """`await` it, or use it with `async with`; what it gives is an asynchronous iterator of messages, or, with a `handler`, calls
        it. Returns when the server has confirmed; without a connection that is after the next one. The subscription is made again
        after every reconnect; what was published in between is lost, unless it has `resume`.

        - `handler`: a function, `async` or one that does not block; called in order, the next time when it is done.
        - `filters`: at most 100 texts, or lists of texts that must all match; none means every message.
        - `group`: joins this worker group: each message goes to one of its members. True is the group of the own actor.
        - `ack`: in a group, `auto` acknowledges a message when the handler has returned, or the loop comes back for the next one;
          `manual` leaves it to `message.ack()`. A message whose handler fails is not acknowledged.
        - `concurrency`: so many calls of the handler at a time.
        - `jobs`: takes the messages as jobs, each of which waits for a worker, on disk, and is handed out again until it is settled: where
          `client.features` has `jobs`. The handler, or the loop, gets a `Job`; one whose handler fails is given back. A topic has one
          such subscription in a client.
        - `meta`: the id, time, publisher and position of each message, where `client.features` has `meta`.
        - `own`: also what the own actor publishes on other connections, where `client.features` has `own`.
        - `rewind`: first the newest so many messages (at most 1000), or those since a time. Not after a reconnect.
        - `resume`: after a reconnect, go on behind the last message; a position begins behind that one. None is missing then, and none
          comes twice, or `on_gap` is called, before the message behind the gap.
        - `on_hydration`: called with what the hydration webhook of the topic answers, after every subscribe. Where two subscribed topics of
          different rooms have one name and wait for it at once, nobody knows whose it is: then only the event `hydration` tells of it.
        - `buffer_size`: messages that may wait; one more ends the subscription with `buffer_overflow`. 1000; 10,000 in a group.

        Raises `RoomwireError`: `unknown_topic` (code 42940, no such room or no access), `invalid_filter_chars`, `too_many_filters`,
        `subscription_conflict` (the topic is subscribed with other options, or messages of before have come already),
        `history_disabled` (42951), `unsupported_feature`, `subscription_limit` (42970), `memory_limit_exceeded` (42980),
        `request_timeout`, or the reason for which the client was closed.
        """
        if (group is not None or jobs is not None) and (rewind is not None or resume is not False):
            raise ValueError("A worker group has no rewind and no resume")
        options = SubscribeOptions(qos, filters_of(filters), group, meta, own, rewind, resume, ack, jobs, concurrency)
        size = buffer_size if buffer_size is not None else STREAM_BUFFER if group is None else GROUP_BUFFER
        receiver = Receiver(handler, concurrency, on_gap, on_hydration, size)

        async def subscribe() -> Subscription:
            self._assert_open()
            return await self._parts.subscriptions.add(topic, options, receiver)

        return Subscribing(subscribe) if jobs is None else Working(subscribe)

    async def set_filters(self, topic: str, filters: Sequence[Filter]) -> None:
        """Replaces the filters of a topic for all of its subscriptions, from the next message on; none means every message. They are
        kept over reconnects.

        Raises `not_subscribed`, `invalid_filter_chars`, `too_many_filters` (the former filters stay), `request_timeout`, or why the
        subscription or the client has ended.
        """
        self._assert_open()
        await self._parts.subscriptions.set_filters(topic, filters_of(filters))

    async def publish(
        self,
        topic: str,
        data: Any,
        *,
        qos: Qos | None = None,
        retain: bool | None = None,
        filter: str | None = None,  # noqa: A002
        filters: Sequence[str] | None = None,
        id: str | Literal[False] | None = None,  # noqa: A002
        deliver_at: datetime | None = None,
    ) -> Published:
        """Returns when the server has accepted the message. `data` is anything that MessagePack can express, at most 921,600 bytes of
        it; a `datetime` needs a time zone.

        - `retain`: keep it as the topic's last value for later subscribers.
        - `filter`, `filters`: goes to subscribers whose filters match, and to those without filters. They see `filter` alone.
        - `id`: of all publishes of the actor to the topic with this id, within the time for which the server remembers it, one is
          delivered: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`. A random one by default; False for none, so that it is never sent
          twice.
        - `deliver_at`: not before this time, at most 30 days ahead, where `client.features` has `schedules`; else it is not published
          (`unsupported_feature`). `scheduled_id` of the result is by which a backend may cancel it.

        Where the server has `idempotency`, a publish without an answer is sent again after a reconnect, in the order of the calls,
        until `timeouts.publish` after the call. Elsewhere nothing is ever sent twice.

        Raises `RoomwireError`. Not published: `not_connected`, `unknown_topic` (42940), `rate_limit_exceeded` (42910, above 50 a
        second), `monthly_quota_exceeded` (42920), `message_too_large` (42930), `invalid_data`, `invalid_id`, `publish_conflict` (42960,
        its id was that of a publish with other data), `client_closed`. Perhaps published: `connection_lost`, `request_timeout`,
        `broker_unavailable`.
        """
        self._assert_open()
        return await self._parts.publishes.publish(topic, data, PublishOptions(qos, retain, filter, filters, id, deliver_at))

    async def history(
        self,
        topic: str,
        *,
        last: int | None = None,
        before: str | None = None,
        after: str | None = None,
        limit: int | None = None,
        on_gap: GapHandler | None = None,
    ) -> AsyncGenerator[Message, None]:
        """Messages of a topic with history, the own ones too, for an `async for`. It needs no subscription, and a connection.

        - `last`: the newest so many, in the order of delivery; with `before`, those before this position.
        - `limit` with `before` or neither: the newest first, page by page as the loop goes on; all of them without `limit`.
        - `after`: the oldest first, behind this position; an empty text is the beginning. `on_gap` is called where messages behind
          it are missing.

        Raises `unknown_topic`, `history_disabled` (42951), `unsupported_feature`, `invalid_frame` (a position that is none),
        `rate_limit_exceeded`, `broker_unavailable`, `not_connected`, `connection_lost`, `request_timeout`, `client_closed`.
        """
        if last is not None and (after is not None or limit is not None):
            raise ValueError("last excludes after and limit")
        self._assert_open()
        if last is not None:
            for message in await self._parts.histories.read_last(topic, last, before):
                yield message
            return
        async for message in self._parts.histories.read(topic, HistoryRange(before, after, limit), on_gap):
            yield message

    async def enter(self, room_id: str, presence: PresenceData | None = None, *, keep: bool = False) -> Room:
        """Says that the actor is in a room, and what it says of itself (at most 16,384 bytes); again for another presence, or another
        room, which leaves those before. With `keep` it stays in them, at most 50 in all, where `client.features` has `rooms`. Made again
        after every reconnect, with what was accepted last.

        `room_id` is a room slug, or `app-slug/room-slug`. Raises `unknown_topic` (no such room, or no access), `message_too_large`,
        `rate_limit_exceeded`, `subscription_limit` (42970), `unsupported_feature`, `broker_unavailable`, `invalid_data`,
        `not_connected`, `connection_lost`, `request_timeout`, `client_closed`.
        """
        self._assert_open()
        return await self._parts.rooms.enter(room_id, presence or {}, keep)

    async def leave(self, room_id: str) -> None:
        """Leaves one room and no other; nothing happens where the client is not there. Returns when the server has confirmed, or cannot.

        Raises `unsupported_feature`, where `client.features` lacks `rooms`, `rate_limit_exceeded`, `request_timeout`, `client_closed`.
        """
        self._assert_open()
        await self._parts.rooms.leave(room_id)

    async def count(self, room_id: str, handler: CountHandler | None = None) -> Count:
        """How many actors are in a room, without entering it: at once, then at most once a second when it changes, and again after every
        reconnect. The handler must not block. Of a room that it is in as well, the client gets the numbers instead of changes.

        Raises what `enter` raises, and `subscription_conflict` where the room is counted already.
        """
        self._assert_open()
        return await self._parts.rooms.count(room_id, handler)

    async def presence(self, room_id: str) -> tuple[PresenceEntry, ...]:
        """Who is in a room, the own actor included. Raises as `enter` does."""
        self._assert_open()
        return await self._parts.rooms.entries_of(room_id)

    async def lobby(self, lobby_id: str, handler: LobbyHandler | None = None) -> Lobby:
        """Watches a lobby. The handler, which must not block, gets a snapshot, then all that changes, and a snapshot again after every
        reconnect. `lobby_id` is a lobby slug, or `app-slug/lobby-slug`.

        Raises `not_authorized` (no such lobby, or no access), `lobby_too_large`, `subscription_limit`, `subscription_conflict` (it is
        watched already), and what `enter` raises.
        """
        self._assert_open()
        return await self._parts.lobbies.subscribe(lobby_id, handler)

    async def lobby_presence(self, lobby_id: str) -> LobbyContents:
        """Who is in the rooms of a lobby. Raises as `lobby` does."""
        self._assert_open()
        return await self._parts.lobbies.contents_of(lobby_id)

    def _assert_open(self) -> None:
        if not self._connection.is_started:
            raise RuntimeError("The client is not started: use `async with roomwire.connect(…) as client`")
        if isinstance(self.state, Closed):
            raise caused_by(ConnectionError("client_closed"), self.state.reason)

    def _received(self, frame: Any) -> None:
        self._dispatch(frame)

    def _changed(self, state: ConnectionState) -> None:
        parts = self._parts
        if isinstance(state, Connected):
            self._features = state.session.features
            parts.subscriptions.connected(state.session.restored_subscriptions)
            parts.rooms.connected(state.session.actor_token_id)
            parts.lobbies.connected()
            parts.publishes.connected(self._features)
        elif isinstance(state, Waiting):
            parts.publishes.disconnected(state.reason)
            parts.requests.lost(state.reason)
            parts.rooms.disconnected()
            parts.subscriptions.disconnected()
        elif isinstance(state, Closed):
            parts.publishes.close(state.reason)
            parts.requests.lost(state.reason)
            parts.rooms.close()
            parts.lobbies.close()
            parts.subscriptions.close(state.reason)
        self._states.emit(state)

    def _report(self, error: RoomwireError) -> None:
        if not self._errors.has_listeners:
            logger.warning("%s", error, exc_info=error.__cause__)
        self._errors.emit(error)

    def _spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
