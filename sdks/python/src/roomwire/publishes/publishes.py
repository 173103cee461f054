"""The publishes that the server has not answered yet. Those with an id are sent again after a reconnect."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ..errors import ConnectionError, RoomwireError, caused_by
from ..futures import new_future, reject, resolve, within
from ..options import Timeouts
from ..protocol.codec import encode_frame
from ..protocol.frames import Accepted
from .resending import Resending

Qos = Literal[0, 1, 2]


@dataclass(frozen=True)
class Published:
    """What the server has accepted."""

    id: str | None
    """With which it was published; None where the server knows no ids, or it was to have none."""
    duplicate: bool
    """An earlier publish with this id has been accepted, and this one was not."""
    scheduled_id: str | None = None
    """Of one with `deliver_at`, or a duplicate of one: by which a backend may cancel it."""


@dataclass(frozen=True)
class PublishOptions:
    qos: Qos | None = None
    retain: bool | None = None
    filter: str | None = None
    filters: Sequence[str] | None = None
    id: str | Literal[False] | None = None
    deliver_at: datetime | None = None


@dataclass(eq=False)
class PendingPublish:
    msg_ref: str
    topic: str
    id: str | None
    """None for one that must not be sent twice."""
    is_for_later: bool
    """A server that does not know of it would deliver it at once."""
    frame: bytes
    """As it was at the call: the caller may have changed its data by the time it is sent again."""
    answer: asyncio.Future[Published] = field(default_factory=new_future)


class Publishes:
    def __init__(
        self,
        send: Callable[[bytes], None],
        is_online: Callable[[], bool],
        new_id: Callable[[], str],
        timeouts: Timeouts,
    ) -> None:
        self._send = send
        self._is_online = is_online
        self._new_id = new_id
        self._timeouts = timeouts
        self._pending: dict[str, PendingPublish] = {}
        self._resending: Resending[PendingPublish] = Resending(lambda publish: self._send(publish.frame))
        self._features: frozenset[str] = frozenset()
        self._count = 0

    async def publish(self, topic: str, data: Any, options: PublishOptions) -> Published:
        """A caller that is cancelled does not take back what was sent, nor is it sent again."""
        if not self._is_online():
            raise ConnectionError("not_connected")
        publish = self._prepare(topic, data, options)
        self._pending[publish.msg_ref] = publish
        try:
            if self._resending.is_under_way:
                self._resending.add(publish)
            else:
                self._send(publish.frame)
            timeout = self._timeouts.request if publish.id is None else self._timeouts.publish
            return await within(timeout, publish.answer)
        except TimeoutError as cause:
            raise ConnectionError("request_timeout", topic=topic, msg_ref=publish.msg_ref) from cause
        finally:
            self._forget(publish)

    def connected(self, features: frozenset[str]) -> None:
        """Sends what waits for an answer once more, if the server can tell that it has it already."""
        self._features = features
        if "idempotency" not in features:
            self._lose(list(self._pending.values()), None)
        elif "schedules" not in features:
            self._lose([publish for publish in self._pending.values() if publish.is_for_later], None)
        self._resending.start(self._pending.values())

    def accepted(self, frame: Accepted) -> None:
        if (publish := self._pending.get(frame.msg_ref)) is not None:
            self._forget(publish)
            resolve(publish.answer, Published(publish.id, frame.duplicate, frame.scheduled_id))

    def refused(self, error: RoomwireError) -> bool:
        """Whether the error answers a publish of ours, or has."""
        publish = self._pending.get(error.msg_ref or "")
        if publish is None:
            return False
        # This attempt was refused, and the one before it perhaps accepted: only another one can tell.
        if error.error == "rate_limit_exceeded" and self._resending.put_off(publish):
            return True
        self._forget(publish)
        reject(publish.answer, error)
        return True

    def disconnected(self, cause: RoomwireError) -> None:
        """There will be another connection."""
        self._resending.stop()
        self._lose([publish for publish in self._pending.values() if publish.id is None], cause)

    def close(self, cause: RoomwireError) -> None:
        """The server may have accepted each of them, or not."""
        self._resending.stop()
        self._lose(list(self._pending.values()), cause)

    def _prepare(self, topic: str, data: Any, options: PublishOptions) -> PendingPublish:
        self._count += 1
        msg_ref = str(self._count)
        id_ = self._id_of(topic, options.id)
        deliver_at = options.deliver_at
        if deliver_at is not None and "schedules" not in self._features:
            raise RoomwireError("unsupported_feature", topic=topic)
        # `data` goes last: a refusal names what stands in front of the fault.
        frame = encode_frame(
            "publish",
            topic=topic,
            msgRef=msg_ref,
            id=id_,
            qos=options.qos,
            retain=options.retain,
            filter=options.filter,
            filters=None if options.filters is None else list(options.filters),
            deliverAt=None if deliver_at is None else round(deliver_at.timestamp() * 1000),
            data=data,
        )
        return PendingPublish(msg_ref, topic, id_, deliver_at is not None, frame)

    def _id_of(self, topic: str, wanted: str | Literal[False] | None) -> str | None:
        if isinstance(wanted, str) and not is_publish_id(wanted):
            raise RoomwireError("invalid_id", topic=topic)
        if wanted is False or "idempotency" not in self._features:
            return None
        return wanted or self._new_id()

    def _lose(self, publishes: list[PendingPublish], cause: RoomwireError | None) -> None:
        for publish in publishes:
            self._forget(publish)
            lost = ConnectionError("connection_lost", topic=publish.topic, msg_ref=publish.msg_ref)
            reject(publish.answer, caused_by(lost, cause))

    def _forget(self, publish: PendingPublish) -> None:
        if self._pending.pop(publish.msg_ref, None) is not None:
            self._resending.settled(publish)


def is_publish_id(text: str) -> bool:
    """Whether the server takes it as the id of a publish."""
    return re.fullmatch(r"[A-Za-z0-9_.:-]{1,128}", text) is not None
