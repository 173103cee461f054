"""How far a subscription has come in the history of its topic."""

from __future__ import annotations

from ..protocol.frames import HistoryGap, MessageMeta, Subscribed
from .options import StartingPoint, SubscribeOptions


class Cursor:
    """Over all connections: behind the newest message that was delivered, and not before a replay is complete behind what it left
    out."""

    def __init__(self, options: SubscribeOptions) -> None:
        self._follows = options.follows
        self._is_positioned = options.needs_meta
        self._start = options.start
        self._reached: str | None = None
        self._asked: StartingPoint | None = None
        self._is_confirmed = False
        self._is_replayed = False
        self._end: str | None = None
        """The newest message when the server last confirmed."""

    @property
    def position(self) -> str | None:
        """None until it is known, and where not every message says its own."""
        return self._reached if self._reached is not None else place_of(self._start)

    @property
    def has_begun(self) -> bool:
        """Whether the server has answered once."""
        return self._is_confirmed

    @property
    def is_placed(self) -> bool:
        """Whether it begins at a point: then nothing that comes before the server's answer counts."""
        return (self._asked or self.next) is not None

    @property
    def next(self) -> StartingPoint | None:
        """Where the next request to subscribe begins."""
        position = self.position
        if position is None and place_of(self._asked) is None and not self._is_replayed:
            # Of messages of before there were none: the replay begins in one go with the answer.
            position = self._end
        return {"position": position} if self._follows and position is not None else self._start

    def request(self, point: StartingPoint | None) -> None:
        """It was sent."""
        self._asked = point
        if place_of(point) is not None:
            self._start = point

    def subscribed(self, frame: Subscribed) -> HistoryGap | None:
        """The messages that are missing, if any are."""
        asked = self._asked
        gap = frame.gap or self._doubt_at(frame.position)
        self._is_confirmed = True
        self._is_replayed = False
        if not self._follows:
            self._start = None
        if gap is not None and gap.reason == "unknown":
            # The server does not know the position: those that follow are of another order.
            self._reached = None
        self._end = frame.position
        if asked is None or frame.position == "" or asked.get("last") == 0:
            # No replay can follow, so that it has come as far as the topic.
            self.replay_ended()
        return gap

    def replay_started(self) -> None:
        self._is_replayed = True

    def replay_ended(self) -> None:
        """What lies behind the last one of a replay was not meant for this subscription."""
        self._move_to(self._end)

    def delivered(self, meta: MessageMeta | None) -> None:
        self._move_to(None if meta is None else meta.position)

    def _doubt_at(self, position: str | None) -> HistoryGap | None:
        """Messages of before are asked for again: whether they go back to those that were to come after the first time,
        nobody knows."""
        is_sure = not self._follows or place_of(self._asked) is not None or self._end in (None, position)
        return None if is_sure else HistoryGap("unknown", self._end, None)

    def _move_to(self, position: str | None) -> None:
        # Later positions sort behind earlier ones as text.
        if not self._is_positioned or position is None:
            return
        if self._reached is None or position > self._reached:
            self._reached = position


def place_of(point: StartingPoint | None) -> str | None:
    position = None if point is None else point.get("position")
    return position if isinstance(position, str) else None
