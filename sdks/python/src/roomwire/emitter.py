"""Listeners, and what becomes of errors that no call raises."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
logger = logging.getLogger("roomwire")


class Emitter(Generic[T]):
    """Calls listeners in the order in which they came. One that raises must not stop the client."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[T], None]] = []

    def on(self, listener: Callable[[T], None]) -> Callable[[], None]:
        """The function that it returns removes the listener."""

        # A wrapper of its own for each call, so that one function may listen twice and be removed once.
        def own(value: T) -> None:
            listener(value)

        self._listeners.append(own)

        def remove() -> None:
            if own in self._listeners:
                self._listeners.remove(own)

        return remove

    @property
    def has_listeners(self) -> bool:
        return bool(self._listeners)

    def emit(self, value: T) -> None:
        for listener in list(self._listeners):
            try:
                listener(value)
            except Exception:
                logger.exception("A listener failed")
