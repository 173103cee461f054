"""What a subscriber gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..protocol.frames import MessageMeta


class Receipt:
    """Acknowledges a message once all who share it have handled it."""

    def __init__(self, sharers: int, acknowledge: Callable[[], None]) -> None:
        self._open = sharers
        self._acknowledge = acknowledge

    def of_one(self) -> Callable[[], None]:
        is_given = False

        def give() -> None:
            nonlocal is_given
            if is_given:
                return
            is_given = True
            self._open -= 1
            if self._open == 0:
                self._acknowledge()

        return give


def nothing() -> None:
    """For a message that asks for no acknowledgement."""


@dataclass(frozen=True, slots=True)
class Message:
    """A published message."""

    topic: str
    """`app/room/topic`"""
    data: Any
    """What was published, decoded; check its shape before use."""
    msg_id: str | None = None
    """Where the server records messages, or asks for an acknowledgement; the same on every copy of a message."""
    filter: str | None = None
    """The publisher's `filter`, when it gave one."""
    meta: MessageMeta | None = None
    """Where the subscription has `meta` or `resume`, and the server `meta`."""
    is_replay: bool = False
    """From the history of the topic; or collected for the worker group while it was away."""
    _acknowledge: Callable[[], None] = field(default=nothing, repr=False, compare=False)

    def ack(self) -> None:
        """Tells the server that it is handled, in a worker group: no other member gets it any more. Without an effect for other
        messages, a second time, and without a connection: then it comes again."""
        self._acknowledge()


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages of a topic that are missing, and the positions around them as far as they are known."""

    topic: str
    reason: str
    """`expired`: older than the topic's history keeps them, or deleted. `limit`: more than are replayed at once. `unknown`: the
    position is none of this topic, or what became of it cannot be told."""
    after: str | None
    before: str | None


@dataclass(frozen=True, slots=True)
class Hydration:
    """What the hydration webhook of a topic has answered to a subscribe."""

    topic: str
    """`app/room/topic`"""
    data: Any


@dataclass(frozen=True, slots=True)
class UnplacedHydration:
    """The same, as the server says it: without the app and the room of the topic."""

    name: str
    topics: tuple[str, ...]
    """The subscribed topics of this name that wait for theirs. Where there is only one, its subscription gets it too."""
    data: Any
