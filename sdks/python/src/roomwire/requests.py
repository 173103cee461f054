"""Requests whose answers carry no reference of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import ConnectionError, RoomwireError, caused_by
from .futures import new_future, reject, resolve
from .repeating import may_pass, request_delay

Reply = tuple[str, "str | None"]
"""What answers a request: the kind of the answer, and the room, the lobby or the reference that it names."""


@dataclass(eq=False)
class Pending:
    about: str
    answered_by: Reply
    refusal_answers: bool
    on_answer: Callable[[Any], None] | None
    answer: asyncio.Future[Any] = field(default_factory=new_future)
    is_refused: bool = False


class Requests:
    """The server handles the frames of a connection in their order, so that an answer belongs to the first request that
    waits for one of its kind. One that timed out still waits for it."""

    def __init__(
        self,
        send: Callable[[bytes], None],
        timeout: float,
        random: Callable[[], float],
        on_error: Callable[[RoomwireError], None],
    ) -> None:
        self._send = send
        self._random = random
        self._on_error = on_error
        self._timeout = timeout
        self._pending: list[Pending] = []

    async def ask(
        self,
        *frames: bytes,
        about: str,
        answered_by: Reply,
        refusal_answers: bool = True,
        on_answer: Callable[[Any], None] | None = None,
    ) -> Any:
        """`about` is what a refusal names; where `refusal_answers`, it comes instead of the answer and not besides it. `on_answer` is
        called while the answer is read, before the next frame, and not after a refusal.

        Raises the refusal, `request_timeout`, `not_connected` or `connection_lost`.
        """
        for frame in frames:
            self._send(frame)
        request = Pending(about, answered_by, refusal_answers, on_answer)
        self._pending.append(request)
        done, _ = await asyncio.wait([request.answer], timeout=self._timeout)
        if not done:
            raise ConnectionError("request_timeout", topic=about)
        return request.answer.result()

    async def persist(self, ask: Callable[[], Awaitable[None]]) -> None:
        """For what is made again on a new connection: asks with back-off until it succeeds, and reports failures that may pass. Raises
        any other one, and `connection_lost`."""
        failures = 0
        while True:
            try:
                await ask()
                return
            except RoomwireError as error:
                if not may_pass(error):
                    raise
                self._on_error(error)
            failures += 1
            await self._pause(request_delay(failures, self._random))

    async def _pause(self, seconds: float) -> None:
        """Ends like a request when the connection is lost; no frame answers it."""
        pause = Pending("a pause", ("a pause", None), True, None)
        self._pending.append(pause)
        try:
            done, _ = await asyncio.wait([pause.answer], timeout=seconds)
            if done:
                pause.answer.result()
        finally:
            if pause in self._pending:
                self._pending.remove(pause)

    def answered(self, kind: str, about: str | None, content: Any) -> None:
        for request in self._pending:
            if request.answered_by == (kind, about):
                self._pending.remove(request)
                if request.on_answer is not None and not request.is_refused:
                    request.on_answer(content)
                resolve(request.answer, content)
                return

    def refused(self, about: str | None, error: RoomwireError) -> bool:
        """Whether the error answers a request of ours."""
        for request in self._pending:
            if request.about == about and not request.is_refused:
                request.is_refused = True
                if request.refusal_answers:
                    self._pending.remove(request)
                self._reject(request, error)
                return True
        return False

    def lost(self, cause: RoomwireError) -> None:
        """No answer will come."""
        pending, self._pending = self._pending, []
        for request in pending:
            self._reject(request, caused_by(ConnectionError("connection_lost"), cause))

    def _reject(self, request: Pending, error: RoomwireError) -> None:
        reject(request.answer, error)
        # Whoever asked may have given up.
        request.answer.exception()
