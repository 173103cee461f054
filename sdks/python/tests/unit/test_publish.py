from __future__ import annotations

import asyncio
from datetime import datetime, timezone

import pytest

from roomwire import ConnectionError, Published, RoomwireError, Timeouts

from ..support.scripted_server import FEATURES, TOPIC, ScriptedServer

WITHOUT_IDS = [feature for feature in FEATURES if feature != "idempotency"]


async def test_a_publish_has_an_id_and_is_answered() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, {"text": "Hello"}, filter="eu", filters=["a"], retain=True, qos=2))
        frame = await peer.publish(duplicate=True)
        assert frame == {
            "type": "publish",
            "topic": TOPIC,
            "msgRef": "1",
            "id": "id-1",
            "qos": 2,
            "retain": True,
            "filter": "eu",
            "filters": ["a"],
            "data": {"text": "Hello"},
        }
        assert await publishing == Published("id-1", duplicate=True)


async def test_none_is_data_as_well() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, None, id=False))
        assert await peer.publish() == {"type": "publish", "topic": TOPIC, "msgRef": "1", "data": None}
        assert await publishing == Published(None, duplicate=False)


async def test_a_refusal_is_raised_with_all_that_the_server_says() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, 1))
        await peer.expect("publish")
        peer.send("error", error="unknown_topic", code=42940, topic=TOPIC, msgRef="1", hint="Check that the app exists")
        with pytest.raises(RoomwireError, match=r"unknown_topic \(chat-1a2b/lobby/lines\)\. Check that the app exists") as refused:
            await publishing
        assert (refused.value.error, refused.value.code) == ("unknown_topic", 42940)


async def test_what_had_no_answer_is_sent_again_in_order_and_before_what_is_new() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        first = asyncio.ensure_future(client.publish(TOPIC, 1))
        second = asyncio.ensure_future(client.publish(TOPIC, 2))
        sent = [await peer.expect("publish"), await peer.expect("publish")]
        peer.close()
        peer = await server.connected()
        third = asyncio.ensure_future(client.publish(TOPIC, 3))
        await peer.settle()
        # Each when the one before it is answered.
        assert await peer.expect("publish") == sent[0]
        assert peer.frames.empty()
        peer.send("error", error="rate_limit_exceeded", topic=TOPIC, msgRef="1")
        assert await peer.publish(duplicate=True) == sent[0]
        assert await peer.publish() == sent[1]
        assert (await peer.publish())["data"] == 3
        assert await first == Published("id-1", duplicate=True)
        assert await second == Published("id-2", duplicate=False)
        assert (await third).id == "id-3"


async def test_the_data_is_as_it_was_at_the_call() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        data = [1]
        publishing = asyncio.ensure_future(client.publish(TOPIC, data))
        await peer.expect("publish")
        data.append(2)
        peer.close()
        peer = await server.connected()
        assert (await peer.publish())["data"] == [1]
        await publishing


async def test_without_an_id_nothing_is_sent_twice() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, 1, id=False))
        await peer.expect("publish")
        peer.close(1012, "service_restart")
        with pytest.raises(ConnectionError) as lost:
            await publishing
        assert lost.value.error == "connection_lost"
        assert isinstance(lost.value.__cause__, ConnectionError)
        assert lost.value.__cause__.close_code == 1012
        peer = await server.connected()
        await peer.expect_silence()


async def test_a_server_that_knows_no_ids_any_more_gets_nothing_again() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, 1))
        await peer.expect("publish")
        peer.close()
        await server.connected(features=WITHOUT_IDS)
        with pytest.raises(ConnectionError):
            await publishing


async def test_a_publish_waits_for_its_answer_over_connections_but_not_for_ever() -> None:
    server = ScriptedServer()
    async with server.session(timeouts=Timeouts(publish=20)) as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, 1))
        await peer.expect("publish")
        peer.close()
        with pytest.raises(ConnectionError) as late:
            await publishing
        assert late.value.error == "request_timeout"
        assert asyncio.get_running_loop().time() == pytest.approx(20)


async def test_a_publish_that_was_given_up_is_not_sent_again() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, 1))
        await peer.expect("publish")
        publishing.cancel()
        peer.close()
        peer = await server.connected()
        await peer.expect_silence()


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({"__proto__": 1}, "invalid_data"),
        ({1.5: 1}, "invalid_data"),
        ("\ud800", "invalid_data"),
        ({1, 2}, "invalid_data"),
        (2**64, "invalid_data"),
        (b"x" * 1_048_576, "message_too_large"),
    ],
)
async def test_what_the_server_would_not_read_is_refused_at_once(data: object, error: str) -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        with pytest.raises(RoomwireError) as refused:
            await client.publish(TOPIC, data)
        assert refused.value.error == error
        assert peer.frames.empty()


async def test_ids_are_checked_and_without_a_connection_nothing_waits() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        with pytest.raises(RoomwireError, match="An id has"):
            await client.publish(TOPIC, 1, id="with space")
        peer.close()
        await peer.settle()
        with pytest.raises(ConnectionError) as failed:
            await client.publish(TOPIC, 1)
        assert failed.value.error == "not_connected"


async def test_a_publish_for_later_is_sent_to_no_server_that_would_deliver_it_at_once() -> None:
    server = ScriptedServer()
    at = datetime(2030, 1, 1, tzinfo=timezone.utc)
    async with server.session() as (client, peer):
        with pytest.raises(RoomwireError) as refused:
            await client.publish(TOPIC, 1, deliver_at=at)
        assert refused.value.error == "unsupported_feature"
        peer.close()
        peer = await server.connected(features=["idempotency", "schedules"])
        publishing = asyncio.ensure_future(client.publish(TOPIC, 1, deliver_at=at))
        assert (await peer.publish(scheduledId="s-1"))["deliverAt"] == 1_893_456_000_000
        assert (await publishing).scheduled_id == "s-1"

        lost = asyncio.ensure_future(client.publish(TOPIC, 2, deliver_at=at))
        again = asyncio.ensure_future(client.publish(TOPIC, 3))
        await peer.expect("publish")
        await peer.expect("publish")
        peer.close()
        peer = await server.connected()
        with pytest.raises(RoomwireError) as unknown:
            await lost
        assert unknown.value.error == "connection_lost"
        assert (await peer.publish())["data"] == 3
        await again
