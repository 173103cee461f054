"""Frames as bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgpack

from ..errors import RoomwireError
from .frames import ServerFrame
from .read_frame import read_frame

MAX_NESTING = 64
"""The server's bound on arrays and maps inside one another, the frame's own map included."""
MAX_FRAME_BYTES = 1_048_576
MAX_DATA_BYTES = 921_600

ClientFrame = Mapping[str, Any]


def encode_frame(type_: str, **fields: Any) -> bytes:
    """Leaves out fields that are None, except `data`.

    Raises `invalid_data` for what MessagePack cannot express or the server does not read, `message_too_large` for what no
    server takes.
    """
    frame = {"type": type_, **{name: value for name, value in fields.items() if value is not None or name == "data"}}
    topic = fields.get("topic")
    try:
        assert_acceptable(frame)
        encoded: bytes = msgpack.packb(frame, datetime=True)
    except Exception as cause:  # A class of the caller's may raise anything.
        raise RoomwireError("invalid_data", topic=topic, help=str(cause)) from cause
    if len(encoded) > MAX_FRAME_BYTES:
        raise RoomwireError("message_too_large", code=42930, topic=topic, max_size_bytes=MAX_DATA_BYTES)
    return encoded


def assert_acceptable(value: object, depth: int = 0) -> None:
    """Raises for what can be encoded and yet would have the server refuse the whole frame."""
    if isinstance(value, msgpack.ExtType):
        raise TypeError("Extensions of MessagePack are not supported")
    if not isinstance(value, (dict, list, tuple)):
        return
    if depth == MAX_NESTING:
        raise TypeError(f"More than {MAX_NESTING} levels, the frame's own included")
    if isinstance(value, dict):
        for key in value:
            assert_key(key)
    for item in value.values() if isinstance(value, dict) else value:
        assert_acceptable(item, depth + 1)


def assert_key(key: object) -> None:
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise TypeError("A key must be a text or an integer")
    if key == "__proto__":
        raise TypeError("The key __proto__ is not allowed")


def decode_frame(frame: bytes | str) -> ServerFrame | None:
    """None for a frame of a type that the client does not know. Raises `undecodable_frame`, nothing else."""
    try:
        if isinstance(frame, str):
            raise TypeError("A text frame; the server sends binary frames only")
        return read_frame(decode(frame))
    except Exception as cause:
        raise RoomwireError("undecodable_frame") from cause


def decode(encoded: bytes) -> Any:
    """Timestamps are `datetime`, in UTC; where one of them has no place there, they are `msgpack.Timestamp`."""
    try:
        return msgpack.unpackb(encoded, strict_map_key=False, timestamp=3)
    except (OverflowError, ValueError, OSError):
        return msgpack.unpackb(encoded, strict_map_key=False, timestamp=0)
