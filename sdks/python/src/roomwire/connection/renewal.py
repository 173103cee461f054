"""Renews the token of a connection before it expires, so that nothing closes and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ..errors import AuthenticationError, RoomwireError
from ..futures import within
from ..protocol.frames import Reauthenticated
from .environment import Environment
from .reconnect import retry_of
from .tokens import TokenSource, flaw_of, times_of

FIRST_SHARE = (0.4, 0.9)
"""Wide, because the clients of a server that comes back connect all at once."""
SHARE = (0.75, 0.9)
LONGEST_SLEEP_SECONDS = 15.0
"""The clock of the event loop may stand still while the machine sleeps; so the time of day is looked at again and again."""
LONGEST_RETRY_SECONDS = 15.0
SHORTEST_WAIT_SECONDS = 0.5
ASSUMED_LIFE_SECONDS = 60.0
"""Of a token of which neither the server nor the clock says how long it will live."""


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

    async def run(self, token: str, expires_at: float | None) -> None:
        """`expires_at` is what the server says, if it does. Ends only by cancellation."""
        share = FIRST_SHARE
        while self._tokens.is_function and (life := life_of(token, expires_at, self._environment.clock())) is not None:
            self._hurried.clear()
            began = self._environment.clock()
            await self._sleep_until(began + max(SHORTEST_WAIT_SECONDS, life * self._lot(share)))
            token, expires_at = await self._renew(token, expires_at, life)
            share = SHARE
        await asyncio.Event().wait()

    def _lot(self, share: tuple[float, float]) -> float:
        low, high = share
        return low + (high - low) * self._environment.random()

    async def _sleep_until(self, due: float) -> None:
        while (left := due - self._environment.clock()) > 0 and not self._hurried.is_set():
            try:
                await within(min(left, LONGEST_SLEEP_SECONDS), self._hurried.wait())
            except TimeoutError:
                continue

    async def _renew(self, token: str, expires_at: float | None, life: float) -> tuple[str, float | None]:
        """The new token, and when it expires. Tries until the server ends the connection because the old one has."""
        wait = min(1.0, life / 20)
        while True:
            try:
                return await self._try(token, expires_at)
            except RoomwireError as error:
                self._on_error(error)
            await asyncio.sleep(wait * (1 - self._environment.random() / 2))
            wait = min(wait * 2, LONGEST_RETRY_SECONDS)

    async def _try(self, in_use: str, expires_at: float | None) -> tuple[str, float | None]:
        token = await self._tokens.obtain()
        # A function may give what it gave before, as long as that is good.
        if token == in_use:
            return in_use, expires_at
        if (flaw := self._tokens.refusal_of(token) or flaw_of(token)) is not None:
            raise flaw
        answer = await self._reauthenticate(token)
        if answer.error is not None:
            refusal = AuthenticationError(answer.error, message=f"The server refused to renew the token: {answer.error}")
            retry = retry_of(refusal)
            if retry is not None and retry.token_refused:
                self._tokens.refuse(token, refusal)
            raise refusal
        self._tokens.accept()
        return token, answer.auth_expires_at


def life_of(token: str, said_at: float | None, now: float) -> float | None:
    """How long a token that the server has just taken will live, in seconds; None for one that does not expire."""
    issued_at, expires_at = times_of(token)
    end = said_at if said_at is not None else expires_at
    if end is None:
        return None
    whole = end - issued_at if issued_at is not None and end > issued_at else None
    left = end - now
    # A clock that says it has expired already is wrong, and so is one that gives it more than its whole life.
    if left > 0:
        return left if whole is None else min(left, whole)
    return whole if whole is not None else ASSUMED_LIFE_SECONDS
