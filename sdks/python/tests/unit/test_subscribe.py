from __future__ import annotations

import asyncio
from typing import Any

import pytest

from roomwire import Client, Message, RoomwireError, Subscription

from ..support.scripted_server import TOPIC, Peer, ScriptedServer


async def subscribed(client: Client, peer: Peer, *args: Any, **options: Any) -> Subscription:
    subscribing = asyncio.ensure_future(subscribe(client, *args, **options))
    await peer.subscribe()
    return await subscribing


async def subscribe(client: Client, *args: Any, **options: Any) -> Subscription:
    subscription: Subscription = await client.subscribe(TOPIC, *args, **options)
    return subscription


async def take(subscription: Subscription, count: int) -> list[Any]:
    return [(await subscription.__anext__()).data for _ in range(count)]


async def test_messages_come_in_a_loop_until_it_is_unsubscribed() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, filters=["eu", ["us", "urgent"]], own=True, meta=True))
        assert await peer.subscribe() == {
            "type": "subscribe",
            "topic": TOPIC,
            "qos": 1,
            "filters": ["eu", ["us", "urgent"]],
            "meta": True,
            "own": True,
        }
        subscription = await subscribing
        peer.message({"n": 1}, filter="eu", meta={"id": "m1", "at": 5, "from": None})
        message = await subscription.__anext__()
        assert message.data == {"n": 1}
        assert message.filter == "eu"
        assert message.meta is not None
        assert (message.meta.id, message.meta.at, message.meta.sender) == ("m1", 5, None)
        peer.message(2)
        await peer.settle()
        leaving = asyncio.ensure_future(subscription.unsubscribe())
        await peer.expect("unsubscribe")
        assert not leaving.done()
        peer.send("unsubscribed", topic=TOPIC)
        await leaving
        # What had come is still there.
        assert [message.data async for message in subscription] == [2]
        assert await subscription.ended() is None


async def test_the_block_unsubscribes() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):

        async def listen() -> list[Any]:
            async with client.subscribe(TOPIC) as messages:
                async for message in messages:
                    return [message.data]
            return []

        listening = asyncio.ensure_future(listen())
        await peer.subscribe()
        peer.message(1)
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        assert await listening == [1]


async def test_a_refusal_is_raised_and_leaves_nothing() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client))
        await peer.expect("subscribe")
        peer.send("error", error="too_many_filters (max 100)", topic=TOPIC)
        with pytest.raises(RoomwireError, match="max 100") as refused:
            await subscribing
        assert refused.value.error == "too_many_filters"
        peer.close()
        await (await server.connected()).expect_silence()


async def test_handlers_are_called_in_order_one_after_the_other() -> None:
    server = ScriptedServer()
    seen: list[Any] = []

    async def handle(message: Message) -> None:
        seen.append(f"begin {message.data}")
        await asyncio.sleep(1)
        seen.append(f"end {message.data}")

    async with server.session() as (client, peer):
        await subscribed(client, peer, handle)
        peer.message(1)
        peer.message(2)
        await asyncio.sleep(3)
        assert seen == ["begin 1", "end 1", "begin 2", "end 2"]


async def test_a_handler_of_a_group_may_run_several_times_at_once() -> None:
    server = ScriptedServer()
    running = most = 0

    async def handle(_: Message) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(1)
        running -= 1

    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client, handle, group="welders", concurrency=3))
        frame = await peer.subscribe()
        assert (frame["loadBalance"], frame["loadBalanceGroup"]) == (True, "welders")
        await subscribing
        for data in range(7):
            peer.message(data)
        await asyncio.sleep(2.5)
        assert (most, running) == (3, 1)
        await asyncio.sleep(1)


async def test_a_handler_that_fails_is_reported_and_its_message_not_acknowledged() -> None:
    server = ScriptedServer()
    errors: list[RoomwireError] = []

    def handle(message: Message) -> None:
        if message.data == 1:
            raise ValueError("Bad luck")

    async with server.session() as (client, peer):
        client.on("error", errors.append)
        await subscribed(client, peer, handle)
        peer.message(1, msgId="a", requiresAck=True)
        peer.message(2, msgId="b", requiresAck=True)
        assert await peer.expect("ack") == {"type": "ack", "msgId": "b"}
        assert [error.error for error in errors] == ["handler_failed"]
        assert isinstance(errors[0].__cause__, ValueError)
        await peer.expect_silence()


async def test_a_loop_acknowledges_a_message_when_it_comes_back_for_the_next() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscription = await subscribed(client, peer, group=True)
        peer.message(1, msgId="a", requiresAck=True)
        peer.message(2, msgId="b", requiresAck=True)
        await take(subscription, 1)
        await peer.settle()
        assert peer.frames.empty()
        message = await subscription.__anext__()
        assert (await peer.expect("ack"))["msgId"] == "a"
        message.ack()
        message.ack()
        assert (await peer.expect("ack"))["msgId"] == "b"
        await peer.expect_silence()


async def test_manual_acknowledgement_is_the_handlers() -> None:
    server = ScriptedServer()
    messages: list[Message] = []
    async with server.session() as (client, peer):
        await subscribed(client, peer, messages.append, group="g", ack="manual")
        peer.message(1, msgId="a", requiresAck=True)
        await asyncio.sleep(5)
        assert peer.frames.empty()
        messages[0].ack()
        assert (await peer.expect("ack"))["msgId"] == "a"
        peer.close()
        await peer.settle()
        messages[0].ack()


async def test_several_share_one_subscription_which_ends_with_the_last() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        one = await subscribed(client, peer)
        other = await subscribe(client)
        assert peer.frames.empty()
        peer.message(1, msgId="a", requiresAck=True)
        assert await take(one, 1) == await take(other, 1) == [1]
        with pytest.raises(RoomwireError, match="other options"):
            await subscribe(client, filters=["eu"])
        # Acknowledged once, when both are done.
        waiting = [asyncio.ensure_future(one.__anext__())]
        await peer.settle()
        assert peer.frames.empty()
        waiting.append(asyncio.ensure_future(other.__anext__()))
        assert (await peer.expect("ack"))["msgId"] == "a"
        for task in waiting:
            task.cancel()
        await one.unsubscribe()
        await peer.expect_silence(1)
        leaving = asyncio.ensure_future(other.unsubscribe())
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        await leaving


async def test_a_subscribe_that_was_given_up_is_taken_back() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client))
        await peer.expect("subscribe")
        subscribing.cancel()
        await peer.settle()
        peer.send("subscribed", topic=TOPIC, loadBalance=False)
        await peer.expect("unsubscribe")


async def test_subscriptions_are_made_again_and_wait_for_a_connection() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscription = await subscribed(client, peer)
        peer.close()
        await peer.settle()
        other = asyncio.ensure_future(awaiting(client.subscribe("chat-1a2b/lobby/other")))
        peer = await server.connected()
        await peer.subscribe()
        await peer.subscribe()
        await other
        peer.message(1)
        assert await take(subscription, 1) == [1]


async def awaiting(subscribing: Any) -> Subscription:
    subscription: Subscription = await subscribing
    return subscription


async def test_a_subscription_that_is_refused_after_a_reconnect_ends_with_the_error() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with server.session() as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        subscription = await subscribed(client, peer)
        peer.message(1)
        await peer.settle()
        peer.close()
        peer = await server.connected()
        await peer.expect("subscribe")
        peer.send("error", error="unknown_topic", code=42940, topic=TOPIC)
        seen = await take(subscription, 1)
        with pytest.raises(RoomwireError) as ended:
            await take(subscription, 1)
        assert (seen, ended.value.error, errors) == ([1], "unknown_topic", ["unknown_topic"])


async def test_a_notice_ends_a_subscription_with_its_reason() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        client.on("error", lambda error: None)
        subscription = await subscribed(client, peer)
        peer.send("subscriptionEnded", topic=TOPIC, reason="grant_revoked")
        with pytest.raises(RoomwireError, match="grant_revoked") as ended:
            await take(subscription, 1)
        assert (ended.value.error, ended.value.reason) == ("subscription_ended", "grant_revoked")
        again = await subscribed(client, peer)
        assert again.topic == TOPIC


async def test_too_slow_a_loop_ends_clearly() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with server.session() as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        subscription = await subscribed(client, peer, buffer_size=2)
        for data in range(3):
            peer.message(data)
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        assert await take(subscription, 2) == [0, 1]
        with pytest.raises(RoomwireError) as ended:
            await take(subscription, 1)
        assert ended.value.error == "buffer_overflow"
        assert errors == ["buffer_overflow"]
        with pytest.raises(StopAsyncIteration):
            await take(subscription, 1)


async def test_filters_are_replaced_and_kept_over_reconnects() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        with pytest.raises(RoomwireError, match="not_subscribed"):
            await client.set_filters(TOPIC, ["eu"])
        await subscribed(client, peer)
        setting = asyncio.ensure_future(client.set_filters(TOPIC, ["eu"]))
        assert (await peer.expect("setFilters"))["filters"] == ["eu"]
        peer.send("filtersUpdated", topic=TOPIC, filters=["eu"])
        await setting
        setting = asyncio.ensure_future(client.set_filters(TOPIC, ["a/b"]))
        await peer.expect("setFilters")
        peer.send("error", error="invalid_filter_chars (/, #, +, | not allowed)", topic=TOPIC)
        with pytest.raises(RoomwireError) as refused:
            await setting
        assert refused.value.error == "invalid_filter_chars"
        peer.close()
        peer = await server.connected()
        assert (await peer.subscribe())["filters"] == ["eu"]


async def test_a_text_is_no_list_of_filters() -> None:
    server = ScriptedServer()
    async with server.session() as (client, _):
        with pytest.raises(TypeError, match="list"):
            client.subscribe(TOPIC, filters="eu")


async def test_an_answer_that_does_not_come_is_a_timeout_and_the_state_is_made_sure() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscribing = asyncio.ensure_future(subscribe(client))
        await peer.expect("subscribe")
        with pytest.raises(RoomwireError) as late:
            await subscribing
        assert late.value.error == "request_timeout"
        await peer.expect("unsubscribe")


async def test_closing_the_client_ends_loops_without_an_error_and_cancels_handlers() -> None:
    server = ScriptedServer()
    cancelled = asyncio.Event()

    async def handle(_: Message) -> None:
        try:
            await asyncio.sleep(1e6)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async with server.session() as (client, peer):
        subscription = await subscribed(client, peer)
        await subscribe(client, handle)
        peer.message(1)
        await peer.settle()
        await client.close()
        assert [message.data async for message in subscription] == [1]
        assert cancelled.is_set()


async def test_a_hydration_goes_to_the_one_subscription_that_can_be_meant() -> None:
    server = ScriptedServer()
    seen: list[Any] = []
    events: list[Any] = []
    async with server.session() as (client, peer):
        client.on("hydration", lambda hydration: events.append((hydration.name, hydration.topics, hydration.data)))
        await subscribed(client, peer, seen.append, on_hydration=lambda hydration: seen.append((hydration.topic, hydration.data)))
        peer.send("hydration", topic="lines", data={"celsius": 91})
        peer.send("hydration", topic="lines", data="once more")
        await peer.settle()
        assert seen == [(TOPIC, {"celsius": 91})]
        assert events == [("lines", (TOPIC,), {"celsius": 91}), ("lines", (), "once more")]


async def test_a_restored_subscription_that_was_given_up_meanwhile_is_ended() -> None:
    server = ScriptedServer()
    async with server.session(resume=True, client_id="worker-1") as (client, peer):
        subscription = await subscribed(client, peer, group="g")
        peer.close()
        await peer.settle()
        await subscription.unsubscribe()
        peer = await server.accept()
        auth = await peer.authenticate(restoredSubscriptions=[{"pattern": TOPIC, "load_balance": True, "filters": []}])
        assert (auth["reconnect"], auth["clientId"]) == (True, "worker-1")
        assert await peer.expect("unsubscribe") == {"type": "unsubscribe", "topic": TOPIC}


@pytest.mark.parametrize("filters", [[], ["eu"]])
async def test_what_a_subscription_still_gets_is_not_for_one_that_follows_it(filters: list[str]) -> None:
    """[WS-UNSUB-1]"""
    server = ScriptedServer()
    async with server.session() as (client, peer):
        former = await subscribed(client, peer)
        leaving = asyncio.ensure_future(former.unsubscribe())
        await peer.expect("unsubscribe")
        following = asyncio.ensure_future(subscribe(client, filters=filters))
        await peer.settle()
        peer.message("old", msgId="a", requiresAck=True)
        await peer.settle()
        peer.send("unsubscribed", topic=TOPIC)
        await peer.subscribe()
        peer.message("new", msgId="b", requiresAck=True)
        assert await take(await following, 1) == ["new"]
        await leaving


async def test_what_other_filters_let_through_is_not_for_one_that_follows_while_they_are_set() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        former = await subscribed(client, peer)
        filtering = asyncio.ensure_future(client.set_filters(TOPIC, ["us"]))
        await peer.expect("setFilters")
        leaving = asyncio.ensure_future(former.unsubscribe())
        await peer.settle()
        following = asyncio.ensure_future(subscribe(client, filters=["eu"]))
        await peer.settle()
        peer.message("old", filter="us")
        await peer.settle()
        peer.send("filtersUpdated", topic=TOPIC, filters=["us"])
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        await peer.subscribe()
        peer.message("new", filter="eu")
        assert await take(await following, 1) == ["new"]
        await asyncio.gather(leaving, filtering, return_exceptions=True)
