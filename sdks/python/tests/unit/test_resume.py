from __future__ import annotations

import asyncio
from datetime import datetime, timezone
from typing import Any

import pytest

from roomwire import Gap, Message, RoomwireError

from ..support.scripted_server import TOPIC, ScriptedServer
from .test_subscribe import subscribe, take


def meta(position: str) -> dict[str, Any]:
    return {"id": position, "at": 1, "from": "a1", "position": position}


async def test_a_subscription_goes_on_behind_the_last_message() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, resume=True))
        assert (await peer.subscribe(position="p1", continuity="fresh"))["from"] == {"last": 0}
        subscription = await subscribing
        assert subscription.position == "p1"
        peer.message(2, meta=meta("p2"))
        await peer.settle()
        # Arrived, and not taken.
        assert subscription.position == "p1"
        await take(subscription, 1)
        assert subscription.position == "p2"
        peer.close()
        peer = await server.connected()
        frame = await peer.subscribe(position="p4", continuity="continuous")
        assert (frame["from"], frame["meta"]) == ({"position": "p2"}, True)
        peer.send("replayStart", topic=TOPIC, count=1)
        peer.message(3, meta=meta("p3"), isReplay=True)
        peer.send("replayEnd", topic=TOPIC, replayed=1)
        message = await subscription.__anext__()
        assert (message.data, message.is_replay) == (3, True)
        await peer.settle()
        # Filters left out what is between.
        assert subscription.position == "p4"


async def test_the_position_stays_when_the_subscription_has_ended() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, resume="p1"))
        await peer.subscribe(position="p3", continuity="continuous")
        peer.message(2, meta=meta("p2"), isReplay=True)
        subscription = await subscribing
        assert subscription.position == "p1"
        await take(subscription, 1)
        peer.message(3, meta=meta("p3"), isReplay=True)
        await peer.settle()
        leaving = asyncio.ensure_future(subscription.unsubscribe())
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        await leaving
        assert subscription.position == "p2"


async def test_a_replay_that_was_cut_begins_again_where_it_ended() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, resume="p1"))
        assert (await peer.subscribe(position="p9", continuity="continuous"))["from"] == {"position": "p1"}
        subscription = await subscribing
        peer.send("replayStart", topic=TOPIC, count=2)
        peer.message(2, meta=meta("p2"), isReplay=True)
        await take(subscription, 1)
        peer.close()
        peer = await server.connected()
        assert (await peer.subscribe(position="p9"))["from"] == {"position": "p2"}


async def test_a_gap_is_told_before_the_message_behind_it() -> None:
    server = ScriptedServer()
    seen: list[object] = []

    def handle(message: Message) -> None:
        seen.append(message.data)

    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, handle, resume="p1", on_gap=seen.append))
        await peer.subscribe(position="p9", continuity="gap", gap={"reason": "expired", "after": "p1", "before": "p8"})
        peer.send("replayStart", topic=TOPIC, count=1)
        peer.message(8, meta=meta("p8"), isReplay=True)
        await subscribing
        await peer.settle()
        assert seen == [Gap(TOPIC, "expired", "p1", "p8"), 8]


async def test_rewind_holds_for_the_beginning_alone() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        since = datetime(2026, 1, 1, tzinfo=timezone.utc)
        subscribing = asyncio.ensure_future(subscribe(client, rewind=since))
        assert (await peer.subscribe(position="p1"))["from"] == {"since": 1767225600000}
        await subscribing
        peer.close()
        peer = await server.connected()
        assert "from" not in await peer.subscribe()


async def test_who_joins_a_topic_that_has_begun_gets_no_rewind() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, rewind=5))
        await peer.subscribe(position="p1")
        await subscribing
        with pytest.raises(RoomwireError) as conflict:
            await subscribe(client, rewind=5)
        assert conflict.value.error == "subscription_conflict"


async def test_messages_in_front_of_the_answer_come_once_more_behind_it() -> None:
    server = ScriptedServer()
    async with server.session(resume=True) as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, resume="p1"))
        await peer.expect("subscribe")
        peer.message(2, meta=meta("p2"))
        peer.send("subscribed", topic=TOPIC, loadBalance=False, position="p2")
        peer.message(2, meta=meta("p2"), isReplay=True)
        peer.message(3, meta=meta("p3"))
        assert await take(await subscribing, 2) == [2, 3]


async def test_a_server_without_history_is_not_asked() -> None:
    server = ScriptedServer()
    client = server.client()
    client.start()
    peer = await server.connected(features=["meta"])
    with pytest.raises(RoomwireError) as failed:
        await subscribe(client, resume=True)
    assert failed.value.error == "unsupported_feature"
    with pytest.raises(RoomwireError):
        _ = [message async for message in client.history(TOPIC)]
    assert peer.frames.empty()
    await client.close()


def kept(n: int) -> dict[str, Any]:
    return {"id": f"m{n}", "at": n, "from": None, "position": f"p{n}", "filter": None, "data": n}


async def test_history_is_read_page_by_page_as_the_loop_goes_on() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        pages = client.history(TOPIC, before="p9", limit=3)
        reading = asyncio.ensure_future(pages.__anext__())
        frame = await peer.expect("history")
        assert frame == {"type": "history", "topic": TOPIC, "before": "p9", "limit": 3, "ref": "history 1"}
        peer.send("history", topic=TOPIC, ref=frame["ref"], messages=[kept(8), kept(7)], next="p7")
        message = await reading
        assert message.meta is not None
        assert (message.data, message.meta.position, message.is_replay) == (8, "p8", True)
        assert (await pages.__anext__()).data == 7
        reading = asyncio.ensure_future(pages.__anext__())
        frame = await peer.expect("history")
        assert (frame["before"], frame["limit"]) == ("p7", 1)
        peer.send("history", topic=TOPIC, ref=frame["ref"], messages=[kept(6)], next="p6")
        assert (await reading).data == 6
        with pytest.raises(StopAsyncIteration):
            await pages.__anext__()


async def test_the_last_messages_come_in_the_order_of_delivery() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):

        async def read() -> list[Any]:
            return [message.data async for message in client.history(TOPIC, last=2)]

        reading = asyncio.ensure_future(read())
        frame = await peer.expect("history")
        assert "before" not in frame
        peer.send("history", topic=TOPIC, ref=frame["ref"], messages=[kept(8), kept(7)], next="p7")
        assert await reading == [7, 8]


async def test_a_history_that_is_refused_or_lost_is_raised() -> None:
    server = ScriptedServer()
    gaps: list[Gap] = []
    async with server.session() as (client, peer):
        pages = client.history(TOPIC, after="", on_gap=gaps.append)
        reading = asyncio.ensure_future(pages.__anext__())
        frame = await peer.expect("history")
        peer.send("history", topic=TOPIC, ref=frame["ref"], messages=[kept(3)], next="p3", gap={"reason": "expired"})
        await reading
        assert gaps == [Gap(TOPIC, "expired", None, None)]
        reading = asyncio.ensure_future(pages.__anext__())
        frame = await peer.expect("history")
        assert frame["after"] == "p3"
        peer.send("error", error="history_disabled", code=42951, topic=TOPIC, ref=frame["ref"])
        with pytest.raises(RoomwireError) as refused:
            await reading
        assert refused.value.code == 42951
        reading = asyncio.ensure_future(client.history(TOPIC).__anext__())
        await peer.expect("history")
        peer.close()
        with pytest.raises(RoomwireError) as lost:
            await reading
        assert lost.value.error == "connection_lost"


async def test_a_rewind_without_resume_knows_of_no_gap_after_a_reconnect() -> None:
    server = ScriptedServer()
    gaps: list[Gap] = []
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, rewind=2, on_gap=gaps.append, handler=lambda _: None))
        await peer.subscribe(position="p1")
        await subscribing
        peer.close()
        peer = await server.connected()
        await peer.subscribe()
        await peer.settle()
        assert gaps == []
