"""All subscriptions of the client: active ones, and those that wait for a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..buffers import Buffer
from ..errors import RoomwireError
from ..protocol.codec import encode_frame
from ..protocol.frames import Delivered, HistoryGap, RestoredSubscription, Subscribed
from .jobs import HeldJobs
from .members import Filters, Item, Member
from .message import Gap, Hydration, Message, Receipt, UnplacedHydration, nothing
from .options import SubscribeOptions
from .request_window import RequestWindow
from .subscription import GapHandler, HydrationHandler, JobHandler, JobSubscription, MessageHandler, Subscription
from .topic import TopicContext, TopicSubscription

MOST_UNANSWERED = 500
"""At its rate of 100 a second (WS-CONN-10) the server answers so many long before they time out."""


@dataclass(frozen=True)
class SubscriptionsContext:
    timeout: float
    random: Callable[[], float]
    is_online: Callable[[], bool]
    has: Callable[[str], bool]
    send: Callable[[bytes], None]
    on_error: Callable[[RoomwireError], None]


@dataclass(frozen=True)
class Receiver:
    """What one caller does with the messages."""

    handler: MessageHandler | JobHandler | None = None
    concurrency: int = 1
    on_gap: GapHandler | None = None
    on_hydration: HydrationHandler | None = None
    buffer_size: int = 1000


class Subscriptions:
    def __init__(self, context: SubscriptionsContext) -> None:
        self._context = context
        self._topics: dict[str, TopicSubscription] = {}
        self._abandoned: set[str] = set()
        """Given up while there was no connection to say so; the server may still have them recorded."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._jobs = HeldJobs(context.is_online, context.send)
        self._window = RequestWindow(MOST_UNANSWERED, TopicSubscription.connected)
        self._is_finished = False

    async def add(self, topic: str, options: SubscribeOptions, receiver: Receiver) -> Subscription:
        """Raises the server's refusal, `subscription_conflict`, `request_timeout` or the reason of the close."""
        shared = self._topics.get(topic)
        if shared is None:
            shared = self._open(topic, options)
        elif not shared.members:
            shared.adopt(options)
        elif shared.options != options or not shared.can_join(options):
            raise RoomwireError("subscription_conflict", topic=topic)
        member = Member(Buffer[Item](receiver.buffer_size))
        member.ended.add_done_callback(lambda _: self._jobs.left(member))
        kind = Subscription if options.jobs is None else JobSubscription
        subscription = kind(
            topic,
            member,
            self,
            acks=options.ack == "auto",
            jobs=options.jobs,
            on_gap=receiver.on_gap,
            on_hydration=receiver.on_hydration,
        )
        if receiver.handler is not None:
            subscription.handle_with(receiver.handler, receiver.concurrency)
        shared.join(member)
        try:
            await member.started
        except asyncio.CancelledError:
            shared.leave(member)
            raise
        return subscription

    async def set_filters(self, topic: str, filters: Filters) -> None:
        shared = self._topics.get(topic)
        if shared is None or not shared.members:
            raise RoomwireError("not_subscribed", topic=topic)
        await shared.set_filters(filters)

    async def leave(self, topic: str, member: Member) -> None:
        shared = self._holder_of(topic, member)
        left = None if shared is None else shared.leave(member)
        if left is not None:
            await left

    def position_of(self, topic: str, member: Member) -> str | None:
        shared = self._holder_of(topic, member)
        return None if shared is None else shared.cursor.position

    @property
    def is_finished(self) -> bool:
        return self._is_finished

    def report(self, error: RoomwireError) -> None:
        self._context.on_error(error)

    def spawn(self, work: asyncio.Task[None]) -> None:
        self._tasks.add(work)
        work.add_done_callback(self._tasks.discard)

    def connected(self, restored: tuple[RestoredSubscription, ...]) -> None:
        for subscription in restored:
            if subscription.pattern in self._abandoned:
                self._context.send(encode_frame("unsubscribe", topic=subscription.pattern))
        self._abandoned.clear()
        for topic in list(self._topics.values()):
            topic.connected()

    def disconnected(self) -> None:
        self._jobs.lost()
        for topic in list(self._topics.values()):
            topic.disconnected()

    def subscribed(self, frame: Subscribed) -> None:
        if (shared := self._topics.get(frame.topic)) is not None:
            shared.subscribed(frame)

    def unsubscribed(self, topic: str) -> None:
        if (shared := self._topics.get(topic)) is not None:
            shared.unsubscribed()

    def filters_updated(self, topic: str) -> None:
        if (shared := self._topics.get(topic)) is not None:
            shared.filters_updated()

    def replay_started(self, topic: str | None) -> None:
        """Of a worker group it names no topic, and concerns no subscription here."""
        if topic is not None and (shared := self._topics.get(topic)) is not None:
            shared.replay_started()

    def replay_ended(self, topic: str | None) -> None:
        if topic is not None and (shared := self._topics.get(topic)) is not None:
            shared.replay_ended()

    def ended_by_server(self, topic: str, reason: str) -> None:
        if (shared := self._topics.get(topic)) is not None:
            shared.ended_by_server(RoomwireError("subscription_ended", topic=topic, reason=reason))

    def refused(self, error: RoomwireError) -> bool:
        """Whether the error answers a request of ours."""
        shared = self._topics.get(error.topic or "")
        return shared is not None and shared.refused(error)

    def deliver(self, frame: Delivered) -> None:
        # No member: the last one left a moment ago, or the server restored a subscription that was not asked for here.
        shared = self._topics.get(frame.topic)
        if shared is None or not shared.takes(frame):
            return
        members = shared.members
        if (jobs := shared.options.jobs) is not None:
            # A topic has one subscription with jobs.
            self._put(shared, members[0], self._jobs.take(members[0], frame, jobs))
            return
        msg_id = frame.msg_id
        receipt = None
        if frame.requires_ack and msg_id is not None:
            receipt = Receipt(len(members), lambda: self._acknowledge(msg_id))
        for member in members:
            acknowledge = nothing if receipt is None else receipt.of_one()
            self._put(
                shared,
                member,
                Message(frame.topic, frame.data, msg_id, frame.filter, frame.meta, frame.is_replay, acknowledge),
            )

    def hydrated(self, name: str, data: Any) -> UnplacedHydration:
        """Handed on where only one subscription can be meant."""
        waiting = [shared for shared in self._topics.values() if shared.waits_for_hydration(name)]
        if len(waiting) == 1:
            (only,) = waiting
            only.hydrated()
            for member in only.members:
                self._put(only, member, Hydration(only.topic, data))
        return UnplacedHydration(name, tuple(shared.topic for shared in waiting), data)

    def close(self, reason: RoomwireError) -> None:
        """Members lose a working subscription without an error when it is the caller who closed the client."""
        lost = None if reason.error == "client_closed" else reason
        self._jobs.lost()
        topics, self._topics = self._topics, {}
        for topic in topics.values():
            topic.close(reason, lost)

    async def finish(self) -> None:
        """Handlers that are still running are cancelled, but not the one that waits for this."""
        self._is_finished = True
        tasks = self._tasks - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _open(self, topic: str, options: SubscribeOptions) -> TopicSubscription:
        self._abandoned.discard(topic)
        context = TopicContext(
            timeout=self._context.timeout,
            random=self._context.random,
            is_online=self._context.is_online,
            may_ask=self._window.admits,
            has=self._context.has,
            send=self._context.send,
            on_gap=self._report_gap,
            on_lost=self._context.on_error,
            on_answered=self._window.release,
            on_unused=self._drop,
        )
        shared = self._topics[topic] = TopicSubscription(topic, options, context)
        return shared

    def _drop(self, shared: TopicSubscription) -> None:
        # Another may have taken its place.
        if self._topics.get(shared.topic) is not shared:
            return
        del self._topics[shared.topic]
        if self._window.withdraw(shared) or not self._context.is_online():
            self._abandoned.add(shared.topic)

    def _holder_of(self, topic: str, member: Member) -> TopicSubscription | None:
        shared = self._topics.get(topic)
        return shared if shared is not None and member in shared.members else None

    def _report_gap(self, shared: TopicSubscription, gap: HistoryGap) -> None:
        for member in shared.members:
            self._put(shared, member, Gap(shared.topic, gap.reason, gap.after, gap.before))

    def _put(self, shared: TopicSubscription, member: Member, item: Item) -> None:
        if member.buffer.put(item):
            return
        # Better a clear end than a silent gap.
        error = RoomwireError("buffer_overflow", topic=shared.topic)
        member.end(error)
        shared.leave(member)
        self._context.on_error(error)

    def _acknowledge(self, msg_id: str) -> None:
        if self._context.is_online():
            self._context.send(encode_frame("ack", msgId=msg_id))
