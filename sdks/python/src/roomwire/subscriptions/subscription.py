"""One caller's interest in a topic, as a loop or with a handler."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Protocol, cast

from ..buffers import Ended
from ..errors import RoomwireError, caused_by
from ..futures import is_cancelled
from .jobs import Job, Jobs
from .members import Member
from .message import Gap, Hydration, Message

MessageHandler = Callable[[Message], Awaitable[object] | object]
JobHandler = Callable[[Job], Awaitable[object] | object]
GapHandler = Callable[[Gap], object]
HydrationHandler = Callable[[Hydration], object]


class Owner(Protocol):
    """What a subscription needs of the client."""

    async def leave(self, topic: str, member: Member) -> None: ...
    def position_of(self, topic: str, member: Member) -> str | None: ...
    @property
    def is_finished(self) -> bool:
        """Whether the client itself cancels handlers."""
        ...

    def report(self, error: RoomwireError) -> None: ...
    def spawn(self, work: asyncio.Task[None]) -> None: ...


class Subscription:
    """`async for message in subscription` when it was made without a handler. As an `async with` it ends with the block.

    The loop ends after `unsubscribe()` and the client's `close()`, and raises the error for which a subscription ends, after the
    messages that came before. A recorded message is acknowledged when the loop comes back for the next one.
    """

    def __init__(
        self,
        topic: str,
        member: Member,
        owner: Owner,
        *,
        acks: bool,
        jobs: Jobs | None,
        on_gap: GapHandler | None,
        on_hydration: HydrationHandler | None,
    ) -> None:
        self.topic = topic
        self._member = member
        self._owner = owner
        self._acks = acks
        self._jobs = jobs
        self._on_gap = on_gap
        self._on_hydration = on_hydration
        self._handler: Callable[[Any], Any] | None = None
        self._current: Message | None = None

    @property
    def position(self) -> str | None:
        """How far it has come in the history of its topic, to `resume` there later, in another process. None without `resume` or
        `meta`, without history, and before anything is known."""
        member = self._member
        # What nobody has taken has arrived all the same: behind the topic's position it would be missing.
        if member.buffer.is_empty and not member.buffer.has_ended:
            member.reached = self._owner.position_of(self.topic, member)
        return member.reached

    def _freeze_position(self) -> None:
        """As it is read, before what waits is dropped, or others move the topic's on."""
        self._member.reached = self.position

    async def ended(self) -> RoomwireError | None:
        """Returns when no more messages will come: None after `unsubscribe()` or the client's `close()`, otherwise the error, for
        example `unknown_topic` when access was lost while the client was away."""
        return await asyncio.shield(self._member.ended)

    async def unsubscribe(self) -> None:
        """Returns when the server has confirmed, where this was the topic's last subscription, or cannot confirm any more. A handler
        that is running is not interrupted, and not called again. Does not raise; may be called again."""
        self._freeze_position()
        if self._handler is not None:
            self._member.buffer.clear()
        await self._owner.leave(self.topic, self._member)

    def __aiter__(self) -> Subscription:
        if self._handler is not None:
            raise RuntimeError("Its messages go to the handler")
        return self

    async def __anext__(self) -> Message:
        if self._current is not None and self._acks:
            self._current.ack()
        self._current = None
        try:
            self._current = await self._next_message()
        except Ended:
            raise StopAsyncIteration from None
        return self._current

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.unsubscribe()

    def handle_with(self, handler: MessageHandler | JobHandler, concurrency: int) -> None:
        """`concurrency` calls at a time, taken in order."""
        self._handler = handler
        for _ in range(concurrency):
            self._owner.spawn(asyncio.get_running_loop().create_task(self._work(), name=f"roomwire {self.topic}"))

    async def _work(self) -> None:
        try:
            while True:
                await self._handle(await self._next_message())
        except (Ended, RoomwireError):
            # The client has been told why.
            return

    async def _handle(self, message: Message) -> None:
        assert self._handler is not None
        try:
            result = self._handler(message)
            if inspect.isawaitable(result):
                await result
        except asyncio.CancelledError as cause:
            # Something else that the handler waits for may have been cancelled: only then the next message is due.
            if self._owner.is_finished or is_cancelled():
                raise
            self._failed(message, cause)
            return
        except Exception as cause:
            self._failed(message, cause)
            return
        if self._acks:
            message.ack()

    def _failed(self, message: Message, cause: BaseException) -> None:
        if isinstance(message, Job) and message.is_lost:
            message.drop()
            return
        self._report(cause)
        if isinstance(message, Job) and self._jobs is not None:
            try:
                message.nack(self._jobs.rest_after(message.delivery))
            except Exception as another:
                self._report(another)
                message.nack()

    async def _next_message(self) -> Message:
        """Gaps and hydrations that are in front of it are handed over first."""
        while True:
            item = await self._member.buffer.take()
            if isinstance(item, Job) and item.is_lost:
                continue
            if isinstance(item, Message):
                if isinstance(item, Job):
                    item.begin()
                if item.meta is not None and item.meta.position is not None:
                    self._member.reached = item.meta.position
                return item
            try:
                if isinstance(item, Gap):
                    if self._on_gap is not None:
                        self._on_gap(item)
                elif self._on_hydration is not None:
                    self._on_hydration(item)
            except Exception as cause:
                self._report(cause)

    def _report(self, cause: BaseException) -> None:
        self._owner.report(caused_by(RoomwireError("handler_failed", topic=self.topic, help=repr(cause)), cause))


class JobSubscription(Subscription):
    """One with `jobs`. In a loop a job is acknowledged when the loop comes back for the next one."""

    def __aiter__(self) -> JobSubscription:
        super().__aiter__()
        return self

    async def __anext__(self) -> Job:
        return cast(Job, await super().__anext__())

    async def __aenter__(self) -> JobSubscription:
        return self


class Subscribing:
    """`await` it, or use it with `async with`, which unsubscribes at the end of the block."""

    def __init__(self, subscribe: Callable[[], Awaitable[Subscription]]) -> None:
        self._subscribe = subscribe
        self._subscription: Subscription | None = None

    def __await__(self) -> Generator[Any, None, Subscription]:
        return self._subscribe().__await__()

    async def __aenter__(self) -> Subscription:
        self._subscription = await self._subscribe()
        return self._subscription

    async def __aexit__(self, *_: object) -> None:
        assert self._subscription is not None
        await self._subscription.unsubscribe()


class Working(Subscribing):
    """The same, of a subscription with `jobs`."""

    def __await__(self) -> Generator[Any, None, JobSubscription]:
        return cast(JobSubscription, (yield from super().__await__()))

    async def __aenter__(self) -> JobSubscription:
        return cast(JobSubscription, await super().__aenter__())
