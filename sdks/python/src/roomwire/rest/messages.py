"""What a publish over HTTP sends and gets."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack

from ..errors import RoomwireError
from ..publishes.publishes import is_publish_id
from .types import NewMessage


@dataclass(frozen=True, slots=True)
class Published:
    """An accepted message."""

    id: str
    """As it was given, otherwise the one that the library made, so that it could be sent again."""
    at: str
    """When it was accepted, ISO 8601."""
    position: str | None
    """In the history of its topic, where that has one."""
    duplicate: bool
    """An earlier message with this id has been accepted, and this one was not sent."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A message that waits for its time."""

    id: str
    """As it was given, otherwise the one that the library made."""
    scheduled_id: str
    """By which it can be cancelled."""
    deliver_at: str
    """ISO 8601."""
    duplicate: bool
    """An earlier message with this id has been accepted, and this one was not."""


def message_of(fields: Mapping[str, Any]) -> NewMessage:
    """With an id: what had no answer may then be sent again. Fields that are None are left out, except `data`."""
    message = {name: value for name, value in fields.items() if value is not None or name == "data"}
    id_ = message.setdefault("id", secrets.token_hex(12))
    if not isinstance(id_, str) or not is_publish_id(id_):
        raise RoomwireError("invalid_id", topic=message.get("topic"))
    return message  # type: ignore[return-value]


def encoded(body: Mapping[str, Any]) -> bytes:
    """As MessagePack, so that bytes, timestamps and large integers arrive as they are."""
    try:
        packed: bytes = msgpack.packb(body, datetime=True)
    except Exception as cause:
        raise RoomwireError("invalid_data", topic=body.get("topic"), help=str(cause)) from cause
    return packed


def published_of(result: Mapping[str, Any]) -> Published:
    return Published(result["id"], result["at"], result.get("position"), result.get("duplicate") is True)


def scheduled_of(result: Mapping[str, Any]) -> Scheduled:
    return Scheduled(result["id"], result["scheduledId"], result["deliverAt"], result.get("duplicate") is True)


def accepted_of(result: Mapping[str, Any]) -> Published | Scheduled:
    return scheduled_of(result) if "scheduledId" in result else published_of(result)


def results_of(results: Sequence[Mapping[str, Any]], messages: Sequence[NewMessage]) -> list[Published | Scheduled | RoomwireError]:
    return [
        accepted_of(result) if "error" not in result else error_of(result, message["topic"])
        for result, message in zip(results, messages, strict=True)
    ]


def error_of(result: Mapping[str, Any], topic: str) -> RoomwireError:
    return RoomwireError(
        result["error"].split(" (", 1)[0],
        message=f"The server answered {result['error']}",
        topic=topic,
        code=result.get("code"),
        hint=result.get("hint"),
        max_size_bytes=result.get("maxSizeBytes"),
    )
