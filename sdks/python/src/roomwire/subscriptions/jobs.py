"""Messages that are handed to one worker, and again until one of them has settled them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..protocol.codec import encode_frame
from ..protocol.frames import Delivered
from .members import Member
from .message import Message

ACK_SECONDS = 60
"""The server's default."""
BEATS_OF_ACK = 3
"""So that a beat may be late, and one may be missed."""


LONGEST_REST = 900
"""In seconds."""


@dataclass(frozen=True)
class Jobs:
    """How a worker takes jobs. All of it but the last two holds for the group, whose newest member's options are in force."""

    prefetch: int | None = None
    """Most jobs that this worker holds, 1 to 1000; as many as it works on at once by default."""
    ack_seconds: int | None = None
    """A job that is not settled so long after it was handed out goes to another worker, 5 to 3600; 60 by default."""
    max_deliveries: int | None = None
    """A job that was handed out so often without being settled is dead, 1 to 100; 5 by default."""
    retry_seconds: float | Callable[[int], float] = 0
    """How long a job rests whose handler has failed, 0 to 900, or how to tell from its `delivery`."""
    keep_alive: bool = False
    """Says `progress` for a job, from when it comes until it is settled."""

    def field(self, at_once: int) -> dict[str, int]:
        """What the server has to know of it."""
        asked = {
            "prefetch": self.prefetch or min(at_once, 1000),
            "ackSeconds": self.ack_seconds,
            "maxDeliveries": self.max_deliveries,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def rest_after(self, delivery: int) -> float:
        return self.retry_seconds(delivery) if callable(self.retry_seconds) else self.retry_seconds

    @property
    def beat(self) -> float | None:
        return (self.ack_seconds or ACK_SECONDS) / BEATS_OF_ACK if self.keep_alive else None


class Holding:
    """A job of which the server waits to hear."""

    def __init__(self, member: Member, msg_id: str, send: Callable[[bytes], None], release: Callable[[Holding], None]) -> None:
        self.member = member
        self.is_lost = False
        """It is no more this worker's."""
        self._msg_id = msg_id
        self._send = send
        self._release = release
        self._is_open = True
        self._has_begun = False
        self._timer: asyncio.TimerHandle | None = None

    def say(self, type_: str, **fields: Any) -> None:
        if self._is_open:
            self._send(encode_frame(type_, msgId=self._msg_id, **fields))

    def settle(self, type_: str, **fields: Any) -> None:
        self.say(type_, **fields)
        self.drop()

    def keep_alive(self, every: float) -> None:
        def beat() -> None:
            self.say("progress")
            self.keep_alive(every)

        self._timer = asyncio.get_running_loop().call_later(every, beat)

    def begin(self) -> None:
        """Somebody works on it."""
        self._has_begun = True

    def leave(self) -> None:
        """It is kept alive no longer; what has not begun will not begin."""
        self.is_lost = True
        self._stop_beats()
        if not self._has_begun:
            self.drop()

    def drop(self) -> None:
        """The client holds it no longer."""
        self.close()
        self._release(self)

    def close(self) -> None:
        """Nothing more is said of it."""
        self._is_open = False
        self._stop_beats()

    def _stop_beats(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


@dataclass(frozen=True, slots=True)
class Job(Message):
    """A message of a subscription with `jobs`, which nobody else has meanwhile. Settled once, by whatever settles it first."""

    delivery: int = 1
    """How often it was handed out."""
    _holding: Holding | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the job is no more this worker's: its connection is lost, or its subscription has ended. What the handler does then is
        neither said to the server nor reported."""
        return self._holding is not None and self._holding.is_lost

    def begin(self) -> None:
        """The client does this when it hands the job over."""
        if self._holding is not None:
            self._holding.begin()

    def drop(self) -> None:
        """The client does this when a handler has failed that had lost it."""
        if self._holding is not None:
            self._holding.drop()

    def ack(self) -> None:
        """Says that the job is done, so that nobody gets it again."""
        self._settle("ack")

    def nack(self, delay_seconds: float = 0) -> None:
        """Gives the job back, for another worker or this one, after `delay_seconds` (rounded, and 900 at most)."""
        # A frame with any other number would be refused, and the job would wait for its time-out.
        self._settle("nack", delaySeconds=round(min(LONGEST_REST, max(0, delay_seconds))) or None)

    def progress(self) -> None:
        """Starts `ack_seconds` anew."""
        if self._holding is not None:
            self._holding.say("progress")

    def _settle(self, type_: str, **fields: Any) -> None:
        if self._holding is not None:
            self._holding.settle(type_, **fields)


class HeldJobs:
    """The jobs that the client holds on its present connection."""

    def __init__(self, is_online: Callable[[], bool], send: Callable[[bytes], None]) -> None:
        self._is_online = is_online
        self._send = send
        self._held: set[Holding] = set()

    def take(self, member: Member, frame: Delivered, jobs: Jobs) -> Job:
        holding = Holding(member, frame.msg_id or "", self._say, self._held.discard)
        self._held.add(holding)
        if jobs.beat is not None:
            holding.keep_alive(jobs.beat)
        return Job(
            frame.topic,
            frame.data,
            frame.msg_id,
            frame.filter,
            frame.meta,
            frame.is_replay,
            delivery=frame.delivery,
            _holding=holding,
        )

    def lost(self) -> None:
        """The connection is: nothing can settle them any more."""
        held, self._held = self._held, set()
        for holding in held:
            holding.is_lost = True
            holding.close()

    def left(self, member: Member) -> None:
        """The server gives them to others; one that is done all the same is settled, for as long as nobody else has."""
        for holding in list(self._held):
            if holding.member is member:
                holding.leave()

    def _say(self, frame: bytes) -> None:
        if self._is_online():
            self._send(frame)
