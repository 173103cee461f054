"""What a subscription asks the server for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from .jobs import Jobs

StartingPoint = Mapping[str, Any]
"""`from` in the protocol: a position, the newest so many, or a time."""


@dataclass(frozen=True)
class SubscribeOptions:
    """Compared where several subscriptions share a topic."""

    qos: int = 1
    filters: tuple[Any, ...] = ()
    group: str | Literal[True] | None = None
    meta: bool = False
    own: bool = False
    rewind: int | datetime | None = None
    resume: bool | str = False
    ack: Literal["auto", "manual"] = "auto"
    jobs: Jobs | None = None
    at_once: int = field(default=1, compare=False)
    """How many messages the handler works on."""

    @property
    def follows(self) -> bool:
        """Whether it goes on behind the last message after a reconnect."""
        return self.resume is not False

    @property
    def needs_meta(self) -> bool:
        """The server has to say where its messages stand, of a subscription that follows them."""
        return self.meta or self.follows

    @property
    def start(self) -> StartingPoint | None:
        """Where it begins the first time; None for one that needs no history."""
        if isinstance(self.resume, str):
            return {"position": self.resume}
        if isinstance(self.rewind, datetime):
            return {"since": round(self.rewind.timestamp() * 1000)}
        if self.rewind is not None:
            return {"last": self.rewind}
        # Nothing of what was: the server says its position, or that there is no history.
        return {"last": 0} if self.resume is True else None

    @property
    def fields(self) -> dict[str, Any]:
        """Of the request to subscribe, without where it begins."""
        return {
            "qos": self.qos,
            "filters": self.filters or None,
            "loadBalance": True if self.group is not None or self.jobs is not None else None,
            "loadBalanceGroup": self.group if isinstance(self.group, str) else None,
            "meta": self.needs_meta or None,
            "own": self.own or None,
            "jobs": None if self.jobs is None else self.jobs.field(self.at_once),
        }

    @property
    def replays_at_first(self) -> bool:
        """Whether older messages come at first, of which somebody who joins later would get none."""
        return isinstance(self.resume, str) or self.rewind not in (None, 0)

    def with_filters(self, filters: tuple[Any, ...]) -> SubscribeOptions:
        return replace(self, filters=filters)


def filters_of(filters: object) -> tuple[Any, ...]:
    """Filters that can be compared, and that nobody changes. A text would be taken for a list of its letters."""
    if isinstance(filters, str) or not isinstance(filters, (list, tuple)):
        raise TypeError("filters must be a list of texts and lists of texts")
    return tuple(one if isinstance(one, str) else tuple(one) for one in filters)
