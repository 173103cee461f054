"""The callers that share a topic's subscription, and those that have left and wait for its end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from ..buffers import Buffer
from ..errors import RoomwireError
from ..futures import new_future, reject, resolve
from .message import Gap, Hydration, Message

Item = Message | Gap | Hydration


@dataclass(eq=False)
class Member:
    """A caller with a buffer on a topic."""

    buffer: Buffer[Item]
    started: asyncio.Future[None] = field(default_factory=new_future)
    """Settles with the first answer of the server."""
    reached: str | None = None
    """The newest position at which nothing was missing: no message before it was left to take."""
    has_started: bool = False
    ended: asyncio.Future[RoomwireError | None] = field(default_factory=new_future)

    def end(self, error: RoomwireError | None) -> None:
        resolve(self.ended, error)
        self.buffer.end(error)


class Members:
    def __init__(self) -> None:
        self._members: list[Member] = []
        self._leaving: list[asyncio.Future[None]] = []

    @property
    def present(self) -> tuple[Member, ...]:
        return tuple(self._members)

    def __bool__(self) -> bool:
        return bool(self._members)

    def __contains__(self, member: Member) -> bool:
        return member in self._members

    def add(self, member: Member) -> None:
        self._members.append(member)

    def remove(self, member: Member) -> asyncio.Future[None]:
        """Resolves at `release`, or at once where others stay."""
        self._members.remove(member)
        member.end(None)
        left: asyncio.Future[None] = new_future()
        if self._members:
            left.set_result(None)
        else:
            self._leaving.append(left)
        return left

    def start(self, position: str | None) -> None:
        for member in self._members:
            if not member.has_started:
                member.has_started, member.reached = True, position
                resolve(member.started, None)

    def dismiss(self, reason: RoomwireError) -> None:
        """Those that have not started; the others stay."""
        pending = [member for member in self._members if not member.has_started]
        self._members = [member for member in self._members if member.has_started]
        for member in pending:
            member.end(reason)
            reject(member.started, reason)

    def expel(self, reason: RoomwireError, lost: RoomwireError | None) -> bool:
        """Whether one of them loses what it had: `lost` is the error for those, `reason` is for those that are still pending."""
        self.dismiss(reason)
        members, self._members = self._members, []
        for member in members:
            member.end(lost)
        return bool(members)

    def release(self) -> None:
        leaving, self._leaving = self._leaving, []
        for left in leaving:
            resolve(left, None)


Filters = tuple[Any, ...]


class FilterUpdates:
    """The filters that the server has for a topic, and the updates that are pending."""

    def __init__(self, filters: Filters) -> None:
        self.sent = filters
        """As they went with the last request, answered or not."""
        self._confirmed = filters
        self._waiting: list[tuple[Filters, asyncio.Future[None]]] = []

    def add(self, filters: Filters) -> asyncio.Future[None]:
        made: asyncio.Future[None] = new_future()
        self._waiting.append((filters, made))
        return made

    def settle(self) -> None:
        """The server has what was wanted last; what was wanted before that has been replaced."""
        self._confirmed = self.sent
        waiting, self._waiting = self._waiting, []
        for _, made in waiting:
            resolve(made, None)

    def refused(self, error: RoomwireError) -> Filters:
        """The server keeps the filters that it had, which are returned."""
        waiting, self._waiting = self._waiting, []
        for filters, made in waiting:
            if filters is self.sent:
                reject(made, error)
            else:
                self._waiting.append((filters, made))
        self.sent = self._confirmed
        return self._confirmed

    def reject_all(self, error: RoomwireError) -> None:
        waiting, self._waiting = self._waiting, []
        for _, made in waiting:
            reject(made, error)
