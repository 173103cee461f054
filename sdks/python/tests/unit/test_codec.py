from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import msgpack
import pytest

from roomwire.errors import RoomwireError
from roomwire.protocol.codec import MAX_NESTING, decode_frame, encode_frame
from roomwire.protocol.frames import Delivered


def delivered(data: Any) -> Any:
    frame = decode_frame(msgpack.packb({"type": "message", "topic": "a/b/c", "data": data}, datetime=True))
    assert isinstance(frame, Delivered)
    return frame.data


@pytest.mark.parametrize(
    "data",
    [
        *[None, True, -(2**63), 2**64 - 1, 2**53 + 1, 1.5, float("inf"), "ä😀", b"\x00\xff", [], {}, [[{"a": [1]}]], {1: "one", "b": 2}],
        datetime(2026, 1, 1, 12, 30, 0, 123456, tzinfo=timezone.utc),
    ],
)
def test_data_arrives_as_it_was_sent(data: Any) -> None:
    assert delivered(data) == data
    assert msgpack.unpackb(encode_frame("publish", data=data), timestamp=3, strict_map_key=False)["data"] == data


def test_a_timestamp_that_a_datetime_cannot_be_is_still_one() -> None:
    far = msgpack.Timestamp(2**40, 5)
    assert delivered(far) == far


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_the_depth_is_that_of_the_server() -> None:
    encode_frame("publish", data=nested(MAX_NESTING - 1))
    with pytest.raises(RoomwireError, match="levels") as refused:
        encode_frame("publish", topic="a/b/c", data=nested(MAX_NESTING))
    assert (refused.value.error, refused.value.topic) == ("invalid_data", "a/b/c")


@pytest.mark.parametrize("data", [msgpack.ExtType(5, b""), datetime(2026, 1, 1), {None: 1}, {True: 1}, {(1, 2): 1}, object()])
def test_what_the_server_would_refuse_is_not_encoded(data: Any) -> None:
    with pytest.raises(RoomwireError) as refused:
        encode_frame("publish", data=data)
    assert refused.value.error == "invalid_data"


@pytest.mark.parametrize(
    "data", [b"", b"\x81", b"\xdd\xff\xff\xff\xff", b"\x01", msgpack.packb({"type": 1}), msgpack.packb({"type": "error"})]
)
def test_what_is_no_frame_is_undecodable(data: bytes) -> None:
    with pytest.raises(RoomwireError) as refused:
        decode_frame(data)
    assert refused.value.error == "undecodable_frame"
