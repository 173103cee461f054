"""Renews the token of a connection before it expires, so that nothing closes and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ..errors import AuthenticationError, RoomwireError
from ..futures import within
from ..protocol.frames import Reauthenticated
from .environment import Environment
from .tokens import TokenSource, expiry_of

FIRST_SHARE = (0.4, 0.9)
"""Wide, because the clients of a server that comes back connect all at once."""
SHARE = (0.75, 0.9)
LONGEST_SLEEP_SECONDS = 30.0
"""The clock of the event loop may stand still while the machine sleeps; so the time of day is looked at again and again."""
LONGEST_RETRY_SECONDS = 30.0


class Renewal:
    """Of one connection. One call of the token function at a time."""

    def __init__(
        self,
        environment: Environment,
        tokens: TokenSource,
        reauthenticate: Callable[[str], Awaitable[Reauthenticated]],
        on_error: Callable[[RoomwireError], None],
    ) -> None:
        self._environment = environment
        self._tokens = tokens
        self._reauthenticate = reauthenticate
        self._on_error = on_error
        self._hurried = asyncio.Event()

    def hurry(self) -> None:
        """The server says that the token is about to expire."""
        self._hurried.set()

    async def run(self, expires_at: float | None) -> None:
        """Ends only by cancellation."""
        share = FIRST_SHARE
        while expires_at is not None and self._tokens.is_function:
            self._hurried.clear()
            await self._sleep_until(self._moment_within(share, expires_at))
            expires_at = await self._renew(expires_at)
            share = SHARE
        await asyncio.Event().wait()

    def _moment_within(self, share: tuple[float, float], expires_at: float) -> float:
        now = self._environment.clock()
        low, high = share
        return now + (expires_at - now) * (low + (high - low) * self._environment.random())

    async def _sleep_until(self, due: float) -> None:
        while (left := due - self._environment.clock()) > 0 and not self._hurried.is_set():
            try:
                await within(min(left, LONGEST_SLEEP_SECONDS), self._hurried.wait())
            except TimeoutError:
                continue

    async def _renew(self, expires_at: float) -> float | None:
        """When the new token expires. Tries until the old one has; then the server ends the connection."""
        wait = 1.0
        while (left := expires_at - self._environment.clock()) > 0 or wait == 1.0:
            try:
                return await self._try()
            except RoomwireError as error:
                self._on_error(error)
            await asyncio.sleep(max(0.1, min(wait, left / 2)))
            wait = min(wait * 2, LONGEST_RETRY_SECONDS)
        return None

    async def _try(self) -> float | None:
        token = await self._tokens.obtain()
        answer = await self._reauthenticate(token)
        if answer.error is not None:
            refusal = AuthenticationError(answer.error, message=f"The server refused to renew the token: {answer.error}")
            self._tokens.refuse(token, refusal)
            raise refusal
        self._tokens.accept()
        return answer.auth_expires_at if answer.auth_expires_at is not None else expiry_of(token)
