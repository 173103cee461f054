"""Publishes that are sent once more, each when the one before it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")

PAUSE_SECONDS = 1.0
"""The server counts the publishes of a connection by the second."""


class Resending(Generic[T]):
    """One at a time: the server may refuse one of many for their rate, and those behind it would overtake it."""

    def __init__(self, send: Callable[[T], None]) -> None:
        self._send = send
        self._waiting: list[T] = []
        self._pause: asyncio.TimerHandle | None = None

    @property
    def is_under_way(self) -> bool:
        return bool(self._waiting)

    def start(self, publishes: Iterable[T]) -> None:
        self.stop()
        self._waiting = list(publishes)
        self._send_first()

    def add(self, publish: T) -> None:
        """Behind all others."""
        self._waiting.append(publish)

    def settled(self, publish: T) -> None:
        """It needs no further attempt."""
        was_first = self._waiting[:1] == [publish]
        if publish in self._waiting:
            self._waiting.remove(publish)
        if was_first:
            self._cancel_pause()
            self._send_first()

    def put_off(self, publish: T) -> bool:
        """Sends it once more in a moment; False for one that is not under way here."""
        if self._waiting[:1] != [publish]:
            return False
        self._pause = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._send_first)
        return True

    def stop(self) -> None:
        self._cancel_pause()
        self._waiting = []

    def _cancel_pause(self) -> None:
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def _send_first(self) -> None:
        if self._waiting:
            self._send(self._waiting[0])
