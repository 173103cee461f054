"""The subscription of one topic on the server, and the callers that share it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ..errors import ConnectionError, RoomwireError
from ..protocol.codec import encode_frame
from ..protocol.frames import Delivered, HistoryGap, Subscribed
from ..repeating import may_pass, request_delay
from .cursor import Cursor
from .members import Filters, FilterUpdates, Member, Members
from .options import SubscribeOptions


@dataclass(frozen=True)
class TopicContext:
    timeout: float
    """For an answer, in seconds."""
    random: Callable[[], float]
    is_online: Callable[[], bool]
    may_ask: Callable[[TopicSubscription], bool]
    """Whether to subscribe now; where not, `connected` follows when it may be done."""
    has: Callable[[str], bool]
    send: Callable[[bytes], None]
    on_gap: Callable[[TopicSubscription, HistoryGap], None]
    """Messages are missing, before the next one."""
    on_lost: Callable[[RoomwireError], None]
    """A subscription that had been working was refused, or ended; it goes on if that may pass."""
    on_answered: Callable[[TopicSubscription], None]
    """No subscribe is pending."""
    on_unused: Callable[[TopicSubscription], None]
    """There are no members left, and no request is pending."""


class Phase(Enum):
    NONE = auto()
    SUBSCRIBING = auto()
    HELD = auto()
    FILTERING = auto()
    UNSUBSCRIBING = auto()


class TopicSubscription:
    """Answers carry the topic and nothing else, so there is never more than one request under way: what the members want in the
    meantime is requested after the answer. All of it happens while the answer is read, so that the frame behind it finds the state
    that it belongs to."""

    def __init__(self, topic: str, options: SubscribeOptions, context: TopicContext) -> None:
        self.topic = topic
        self.options = options
        self.cursor = Cursor(options)
        self._context = context
        self._members = Members()
        self._filters = FilterUpdates(options.filters)
        self._phase = Phase.NONE
        self._is_outdated = False
        """What the server has, or will have, is a subscription of members that have left."""
        self._awaits_hydration = False
        self._failures = 0
        """Refusals in a row that may pass."""
        self._timer: asyncio.TimerHandle | None = None

    @property
    def members(self) -> tuple[Member, ...]:
        return self._members.present

    def adopt(self, options: SubscribeOptions) -> None:
        """For members that begin anew; there must be none."""
        # A request under way is one for them as well.
        if self.options == options and not self.cursor.has_begun:
            return
        self.options = options
        self.cursor = Cursor(options)
        self._is_outdated = self._phase not in (Phase.NONE, Phase.UNSUBSCRIBING)

    def can_join(self, options: SubscribeOptions) -> bool:
        """Whether whoever joins with these options gets what they say."""
        return options.jobs is None and not (self.cursor.has_begun and options.replays_at_first)

    def join(self, member: Member) -> None:
        self._members.add(member)
        self._advance()

    def leave(self, member: Member) -> asyncio.Future[None] | None:
        """Resolves when the server need not, or cannot, confirm any more."""
        if member not in self._members:
            return None
        left = self._members.remove(member)
        self._advance()
        return left

    def set_filters(self, filters: Filters) -> asyncio.Future[None]:
        """Resolves when the server has these, or others that were set later."""
        self.options = self.options.with_filters(filters)
        made = self._filters.add(filters)
        self._advance()
        return made

    def filters_updated(self) -> None:
        if self._phase is Phase.FILTERING:
            self._enter(Phase.HELD)
            self._advance()

    def connected(self) -> None:
        self._advance()

    def disconnected(self) -> None:
        self._enter(Phase.NONE)
        self._advance()

    def subscribed(self, frame: Subscribed) -> None:
        if self._phase is not Phase.SUBSCRIBING:
            return
        self._enter(Phase.HELD)
        self._failures = 0
        self._awaits_hydration = True
        if not self._is_outdated and (gap := self.cursor.subscribed(frame)) is not None:
            self._context.on_gap(self, gap)
        self._advance()

    def waits_for_hydration(self, name: str) -> bool:
        """Whether a hydration of this bare name may be for this subscription."""
        return self._awaits_hydration and self._is_live and self.topic.rpartition("/")[2] == name

    def hydrated(self) -> None:
        self._awaits_hydration = False

    def replay_started(self) -> None:
        if self._is_live:
            self.cursor.replay_started()

    def replay_ended(self) -> None:
        if self._is_live:
            self.cursor.replay_ended()

    def takes(self, frame: Delivered) -> bool:
        """Whether the message is one for the members."""
        if not self._members:
            return False
        # From a subscription of others, which has not ended yet.
        if self._is_outdated or self._phase is Phase.UNSUBSCRIBING:
            return False
        # From one that the server has restored: after the answer it comes once more.
        if self.cursor.is_placed and not self._is_live:
            return False
        self.cursor.delivered(frame.meta)
        return True

    def unsubscribed(self) -> None:
        if self._phase is Phase.UNSUBSCRIBING:
            self._enter(Phase.NONE)
            self._members.release()
            self._advance()

    def refused(self, error: RoomwireError) -> bool:
        """Whether a request of ours can have caused the error."""
        if self._phase is Phase.FILTERING:
            self._filters_refused(error)
            return True
        # An unsubscribe is never refused: then it is a late answer to the subscribe before it.
        if self._phase is not Phase.SUBSCRIBING:
            return False
        self._refuse(error)
        return True

    def ended_by_server(self, error: RoomwireError) -> None:
        """Where a request is under way, its answer says what comes of it."""
        if self._phase is Phase.HELD:
            self._refuse(error)
        elif self._phase is Phase.FILTERING:
            self._expel(error)

    def close(self, reason: RoomwireError, lost: RoomwireError | None) -> None:
        """`lost` is the error for those that had a working subscription, unless they ended it themselves."""
        self._enter(Phase.NONE)
        self._members.expel(reason, lost)
        self._members.release()
        self._filters.reject_all(reason)

    @property
    def _is_live(self) -> bool:
        return self._phase in (Phase.HELD, Phase.FILTERING)

    def _advance(self) -> None:
        """One step from the state on the server to the state that the members want."""
        is_wanted = bool(self._members)
        if self._phase is Phase.HELD:
            if not is_wanted or self._is_outdated:
                self._request(Phase.UNSUBSCRIBING, "unsubscribe")
            elif self._filters.sent is not self.options.filters:
                self._filters.sent = self.options.filters
                self._request(Phase.FILTERING, "setFilters", filters=self.options.filters)
            else:
                self._filters.settle()
                self._members.start(self.cursor.position)
                self._members.release()
        elif self._phase is Phase.NONE:
            if not is_wanted:
                self._retire()
            elif self._context.is_online():
                self._subscribe()

    def _subscribe(self) -> None:
        point = self.cursor.next
        # An older server would pass over it, and nobody would know what is missing.
        has, jobs = self._context.has, self.options.jobs
        if (point is not None and not has("history")) or (jobs is not None and not has("jobs")):
            self._refuse(RoomwireError("unsupported_feature", topic=self.topic))
            return
        if not self._context.may_ask(self):
            return
        self._filters.sent = self.options.filters
        self._is_outdated = False
        self.cursor.request(point)
        self._request(Phase.SUBSCRIBING, "subscribe", **self.options.fields, **{"from": point})

    def _refuse(self, error: RoomwireError) -> None:
        self._enter(Phase.NONE)
        if self._outlasts(error):
            self._failures += 1
            self._call_later(request_delay(self._failures, self._context.random), self._advance)
            return
        self._expel(error)
        self._advance()

    def _outlasts(self, error: RoomwireError) -> bool:
        """Whether the members go on, since it may pass. Those that have not started are told instead, and need not wait for that."""
        if not may_pass(error):
            return False
        self._members.dismiss(error)
        if self._members:
            self._context.on_lost(error)
        return bool(self._members)

    def _filters_refused(self, error: RoomwireError) -> None:
        if error.error == "not_subscribed":
            # The server has taken the subscription away meanwhile: the next one has the new filters from the start.
            self._enter(Phase.NONE)
        else:
            self._enter(Phase.HELD)
            is_latest = self.options.filters is self._filters.sent
            filters = self._filters.refused(error)
            if is_latest:
                self.options = self.options.with_filters(filters)
        self._advance()

    def _request(self, phase: Phase, type_: str, **fields: Any) -> None:
        self._enter(phase)
        self._limit_wait()
        try:
            self._context.send(encode_frame(type_, topic=self.topic, **fields))
        except RoomwireError as error:
            # Options that cannot be encoded; on a reconnect there is no caller to raise to.
            self.refused(error)

    def _limit_wait(self) -> None:
        self._call_later(self._context.timeout, self._timed_out)

    def _call_later(self, delay: float, action: Callable[[], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(delay, action)

    def _timed_out(self) -> None:
        """The callers are told, and whoever has started goes on with another subscribe; but only the answer to an unsubscribe, or a new
        connection, shows the state on the server: answers to a subscribe sent before that could not be told apart from late answers to
        the old one."""
        error = ConnectionError("request_timeout", topic=self.topic)
        if self._phase is Phase.FILTERING:
            # Whatever the server has now, the next request tells it what is wanted.
            self._filters.reject_all(error)
            self._enter(Phase.HELD)
            self._advance()
            return
        self._members.release()
        if self._outlasts(error):
            self._is_outdated = True
        else:
            self._expel(error)
        if self._phase is Phase.UNSUBSCRIBING:
            self._limit_wait()
            return
        # The server may still hold the subscription, so it is unsubscribed.
        self._enter(Phase.HELD)
        self._advance()

    def _expel(self, error: RoomwireError) -> None:
        self._filters.reject_all(error)
        if self._members.expel(error, error):
            self._context.on_lost(error)

    def _retire(self) -> None:
        self._cancel_timer()
        self._members.release()
        self._filters.reject_all(RoomwireError("not_subscribed", topic=self.topic))
        self._context.on_unused(self)

    def _enter(self, phase: Phase) -> None:
        self._cancel_timer()
        self._phase = phase
        if phase is not Phase.SUBSCRIBING:
            self._context.on_answered(self)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
