"""Reads the history of topics, page by page."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from typing import cast

from .errors import RoomwireError
from .protocol.codec import encode_frame
from .protocol.frames import HistoryPage, KeptMessage
from .requests import Requests
from .subscriptions.message import Gap, Message

MOST_OF_A_PAGE = 1000
USUAL_PAGE = 100
"""Nobody knows when the loop is left."""


@dataclass(frozen=True)
class HistoryRange:
    before: str | None = None
    after: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.before is not None and self.after is not None:
            raise ValueError("before and after exclude each other")


class Histories:
    def __init__(self, requests: Requests, is_online: Callable[[], bool], has: Callable[[str], bool]) -> None:
        self._requests = requests
        self._is_online = is_online
        self._has = has
        self._count = 0

    async def read(self, topic: str, range_: HistoryRange, on_gap: Callable[[Gap], object] | None) -> AsyncGenerator[Message, None]:
        left = range_.limit
        while left is None or left > 0:
            page = await self._ask(topic, range_, USUAL_PAGE if left is None else min(left, MOST_OF_A_PAGE))
            if page.gap is not None and on_gap is not None:
                on_gap(Gap(topic, page.gap.reason, page.gap.after, page.gap.before))
            for kept in page.messages:
                yield message_of(topic, kept)
            if page.next is None:
                return
            left = None if left is None else left - len(page.messages)
            range_ = replace(range_, before=page.next) if range_.after is None else replace(range_, after=page.next)

    async def read_last(self, topic: str, count: int, before: str | None) -> list[Message]:
        """The newest so many, in the order of delivery."""
        newest_first = [message async for message in self.read(topic, HistoryRange(before, None, count), None)]
        return newest_first[::-1]

    async def _ask(self, topic: str, range_: HistoryRange, limit: int) -> HistoryPage:
        if self._is_online() and not self._has("history"):
            raise RoomwireError("unsupported_feature", topic=topic)
        self._count += 1
        # No name of a topic, a room or a lobby, by which other requests are told apart.
        ref = f"history {self._count}"
        frame = encode_frame("history", topic=topic, before=range_.before, after=range_.after, limit=limit, ref=ref)
        return cast(HistoryPage, await self._requests.ask(frame, about=ref, answered_by=("history", ref)))


def message_of(topic: str, kept: KeptMessage) -> Message:
    return Message(topic, kept.data, filter=kept.filter, meta=kept.meta, is_replay=True)
