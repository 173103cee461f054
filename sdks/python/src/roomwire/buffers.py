"""A bounded queue between the socket and whoever reads."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Ended(Exception):
    """There is nothing more, and nothing is wrong."""


class Buffer(Generic[T]):
    """Several tasks may take from it. Not for threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[T] = deque()
        self._changed = asyncio.Event()
        self._has_ended = False
        self._error: Exception | None = None

    @property
    def is_empty(self) -> bool:
        return not self._items

    @property
    def has_ended(self) -> bool:
        return self._has_ended

    def put(self, item: T) -> bool:
        """False when there is no room. What comes after the end is dropped."""
        if self._has_ended:
            return True
        if len(self._items) >= self._size:
            return False
        self._items.append(item)
        self._changed.set()
        return True

    def end(self, error: Exception | None = None) -> None:
        """Behind what it holds."""
        if self._has_ended:
            return
        self._has_ended = True
        self._error = error
        self._changed.set()

    def clear(self) -> None:
        self._items.clear()

    async def take(self) -> T:
        """Raises the error of the end once, and `Ended` from then on."""
        while not self._items:
            if self._has_ended:
                error, self._error = self._error, None
                raise error or Ended
            self._changed.clear()
            await self._changed.wait()
        return self._items.popleft()
