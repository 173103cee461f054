"""Keeps a link up: one attempt after another, until it is closed or an end allows no other attempt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import ConnectionError, RoomwireError, caused_by
from ..options import Backoff, Settings
from ..protocol.frames import ServerFrame, Session
from .environment import Environment
from .link import Link, LinkEvents
from .reconnect import Retry, RetrySchedule, retry_of
from .state import Closed, Connected, Connecting, ConnectionState, Waiting
from .tokens import TokenSource, flaw_of

logger = logging.getLogger("roomwire")


@dataclass(frozen=True)
class ConnectionEvents:
    on_state: Callable[[ConnectionState], None]
    """Every change, in order. The first state, `connecting`, is no change."""
    on_frame: Callable[[ServerFrame], None]
    on_error: Callable[[RoomwireError], None]


class Connection:
    def __init__(self, settings: Settings, environment: Environment, events: ConnectionEvents) -> None:
        self._settings = settings
        self._environment = environment
        self._events = events
        self._tokens = TokenSource(settings.token, settings.timeouts.token)
        self._schedule = RetrySchedule(settings.reconnect or Backoff(), environment.random)
        self._state: ConnectionState = Connecting(0)
        self._failures = 0
        self._link: Link | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def state(self) -> ConnectionState:
        return self._state

    @property
    def is_started(self) -> bool:
        return self._task is not None

    @property
    def is_online(self) -> bool:
        return isinstance(self._state, Connected)

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="roomwire connection")

    def send(self, frame: bytes) -> None:
        """Raises `not_connected`."""
        if not self.is_online or self._link is None:
            raise ConnectionError("not_connected")
        self._link.send(frame)

    async def close(self) -> None:
        """For good. Returns when the socket is gone."""
        self._stop(ConnectionError("client_closed"))
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            while (wait := self._wait_after(*await self._attempt())) is not None:
                await asyncio.sleep(wait)
                self._become(Connecting(self._failures))
        except Exception as cause:
            logger.exception("The client has failed")
            self._stop(caused_by(RoomwireError("client_failed"), cause))

    async def _attempt(self) -> tuple[RoomwireError, Retry | None]:
        """Why it, or the connection that it led to, has ended, and whether to try again."""
        try:
            token = await self._tokens.obtain()
        except RoomwireError as error:
            return error, retry_of(error)
        # A token function that returns the refused token again has no other one: retrying would never end.
        if (refusal := self._tokens.refusal_of(token)) is not None:
            return refusal, None
        link = Link(self._settings, self._environment, self._tokens, self._link_events(), token)
        self._link = link
        try:
            if (flaw := flaw_of(token)) is not None:
                raise flaw
            await link.run()
        except RoomwireError as error:
            retry = retry_of(error)
            if retry is not None and retry.token_refused:
                self._tokens.refuse(link.token, error)
            return error, retry
        finally:
            self._link = None
        raise AssertionError("A link ends with an error")

    def _link_events(self) -> LinkEvents:
        return LinkEvents(self._authenticated, self._events.on_frame, self._events.on_error, self._schedule.lost)

    def _authenticated(self, session: Session) -> None:
        self._failures = 0
        self._tokens.accept()
        self._become(Connected(session))

    def _wait_after(self, error: RoomwireError, retry: Retry | None) -> float | None:
        """None when there will be no other attempt."""
        has_other_token = self._tokens.is_function
        if retry is None or self._settings.reconnect is None or (retry.token_refused and not has_other_token):
            self._stop(error)
            return None
        self._failures += 1
        wait = self._schedule.next(retry)
        logger.warning("%s; trying again in %.1f s", error, wait)
        self._become(Waiting(self._failures, wait, error))
        return wait

    def _stop(self, reason: RoomwireError) -> None:
        if not isinstance(self._state, Closed):
            self._become(Closed(reason))

    def _become(self, state: ConnectionState) -> None:
        self._state = state
        self._events.on_state(state)
