"""How many requests may be unanswered at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Asker = TypeVar("Asker")


class RequestWindow(Generic[Asker]):
    """Whoever asks beyond it is called, in order, as answers come. A server answers a connection at a certain rate: of thousands of
    requests that are sent together the last ones would time out."""

    def __init__(self, size: int, on_room: Callable[[Asker], None]) -> None:
        self._size = size
        self._on_room = on_room
        self._unanswered: set[Asker] = set()
        self._queue: dict[Asker, None] = {}

    def admits(self, asker: Asker) -> bool:
        """Whether the request may be sent now; otherwise the asker is called when it may be."""
        if len(self._unanswered) < self._size:
            self._unanswered.add(asker)
            return True
        self._queue[asker] = None
        return False

    def release(self, asker: Asker) -> None:
        """It has its answer, or needs none any more."""
        if asker not in self._unanswered:
            return
        self._unanswered.remove(asker)
        while self._queue and len(self._unanswered) < self._size:
            following = next(iter(self._queue))
            del self._queue[following]
            self._on_room(following)

    def withdraw(self, asker: Asker) -> bool:
        """Whether the asker was still waiting to be called."""
        if asker not in self._queue:
            return False
        del self._queue[asker]
        return True
