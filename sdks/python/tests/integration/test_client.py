from __future__ import annotations

import asyncio
from datetime import datetime, timezone
from typing import Any

import pytest

import roomwire
from roomwire import AuthenticationError, ConnectionError, Message, RoomwireError, TokenRequest

from ..support.proxy import proxy_to
from ..support.world import World, client_token, until


async def test_a_first_message(world: World) -> None:
    topic = world.topic("lines")
    async with world.client() as listener, world.client() as sender:
        messages = await listener.subscribe(topic)
        published = await sender.publish(topic, {"text": "Hello"})
        assert published.id is not None
        message = await messages.__anext__()
        assert (message.topic, message.data, message.filter) == (topic, {"text": "Hello"}, None)
        assert {"meta", "own", "history", "idempotency"} <= listener.features


async def test_data_of_any_kind_arrives_as_it_was_sent(world: World) -> None:
    topic = world.topic("lines")
    data = [b"\x00\xff", 2**53 + 1, -(2**63), datetime(2026, 1, 1, 12, tzinfo=timezone.utc), {"ä": [1.5, None, True]}, {7: "seven"}]
    async with world.client() as listener, world.client() as sender:
        messages = await listener.subscribe(topic)
        await sender.publish(topic, data)
        assert (await messages.__anext__()).data == data


async def test_filters_select_and_may_be_replaced(world: World) -> None:
    topic = world.topic("lines")
    seen: list[Any] = []
    async with world.client() as listener, world.client() as sender:
        await listener.subscribe(topic, lambda message: seen.append((message.data, message.filter)), filters=["eu", ["us", "urgent"]])
        await sender.publish(topic, 1, filter="us")
        await sender.publish(topic, 2, filters=["us", "urgent"])
        await sender.publish(topic, 3, filter="eu")
        await until(lambda: len(seen) == 2)
        await listener.set_filters(topic, ["us"])
        await sender.publish(topic, 4, filter="eu")
        await sender.publish(topic, 5, filter="us")
        await until(lambda: len(seen) == 3)
        assert seen == [(2, None), (3, "eu"), (5, "us")]


async def test_meta_own_and_the_last_value(world: World) -> None:
    topic = world.topic("lines")
    actor = world.actor()
    async with world.client(actor["accessToken"]) as one, world.client(actor["accessToken"]) as other:
        await one.publish(topic, "last", retain=True, id="m-1")
        messages = await other.subscribe(topic, own=True, meta=True)
        message = await messages.__anext__()
        assert message.meta is not None
        assert (message.data, message.meta.id, message.meta.sender) == ("last", "m-1", actor["actorTokenId"])
        assert message.meta.position is None


async def test_an_id_is_delivered_once_and_conflicts_with_other_data(world: World) -> None:
    topic = world.topic("lines")
    async with world.client() as sender:
        assert not (await sender.publish(topic, 1, id="order-1")).duplicate
        assert (await sender.publish(topic, 1, id="order-1")).duplicate
        with pytest.raises(RoomwireError) as conflict:
            await sender.publish(topic, 2, id="order-1")
        assert (conflict.value.error, conflict.value.code) == ("publish_conflict", 42960)


async def test_refusals_say_what_the_server_says(world: World) -> None:
    async with world.client() as client:
        with pytest.raises(RoomwireError) as unknown:
            await client.subscribe(world.topic("nothing"))
        assert (unknown.value.error, unknown.value.code, unknown.value.topic) == ("unknown_topic", 42940, world.topic("nothing"))
        assert unknown.value.hint
        assert unknown.value.hint in str(unknown.value)
        with pytest.raises(RoomwireError) as filters:
            await client.subscribe(world.topic("lines"), filters=["a/b"])
        assert filters.value.error == "invalid_filter_chars"
        with pytest.raises(RoomwireError) as lobby:
            await client.lobby("staff")
        assert (lobby.value.error, lobby.value.lobby_id) == ("not_authorized", "staff")


async def test_a_publish_whose_answer_was_lost_is_sent_again_and_delivered_once(world: World) -> None:
    topic = world.topic("lines")
    seen: list[Any] = []
    async with proxy_to(world.program.port) as proxy, world.client() as listener, world.client(url=proxy.socket_url) as sender:
        await listener.subscribe(topic, lambda message: seen.append(message.data))
        proxy.holds_answers = True
        publishing = asyncio.ensure_future(sender.publish(topic, "once"))
        await until(lambda: seen == ["once"])
        proxy.holds_answers = False
        proxy.cut()
        assert (await publishing).duplicate
        await sender.publish(topic, "marker")
        await until(lambda: seen[-1] == "marker")
        assert seen == ["once", "marker"]


async def test_nothing_is_missing_over_reconnects(world: World) -> None:
    topic = world.topic("kept")
    seen: list[Any] = []
    async with proxy_to(world.program.port) as proxy, world.client(url=proxy.socket_url) as listener, world.client() as sender:
        subscription = await listener.subscribe(topic, lambda message: seen.append(message.data), resume=True)
        for n in range(40):
            await sender.publish(topic, n)
            if n % 10 == 5:
                proxy.cut()
        await until(lambda: len(seen) >= 40)
        assert seen == list(range(40))
        position = subscription.position
        await sender.publish(topic, "later")
        async with world.client() as another, another.subscribe(topic, resume=position or "") as messages:
            message = await messages.__anext__()
            assert (message.data, message.is_replay) == ("later", True)


async def test_history_is_read_without_subscribing(world: World) -> None:
    topic = world.topic("kept")
    async with world.client() as client:
        for n in range(5):
            await client.publish(topic, n)
        assert [message.data async for message in client.history(topic)] == [4, 3, 2, 1, 0]
        assert [message.data async for message in client.history(topic, last=2)] == [3, 4]
        assert [message.data async for message in client.history(topic, after="", limit=3)] == [0, 1, 2]
        messages = await client.subscribe(topic, rewind=2, own=True)
        assert [(await messages.__anext__()).data for _ in range(2)] == [3, 4]
        gaps: list[roomwire.Gap] = []
        async with world.client() as other:
            await other.subscribe(topic, resume="nonsense-1", on_gap=gaps.append, handler=lambda _: None)
            await until(lambda: [gap.reason for gap in gaps] == ["unknown"])
        with pytest.raises(RoomwireError) as disabled:
            _ = [message async for message in client.history(world.topic("lines"))]
        assert disabled.value.error == "history_disabled"


async def test_presence_is_a_list_that_is_kept_true_over_reconnects(world: World) -> None:
    room_id = f"{world.app['slug']}/{world.room['slug']}"
    async with proxy_to(world.program.port) as proxy, world.client(url=proxy.socket_url) as ann, world.client() as ben:
        room = await ann.enter(room_id, {"name": "Ann"})
        changes: list[tuple[str, Any]] = []
        ann.on("presence", lambda change: changes.append((change.event, change.after and change.after.presence)))
        await ben.enter(room_id, {"name": "Ben"})
        await until(lambda: len(room.members) == 2)
        assert [dict(entry.presence) for entry in await ben.presence(room_id)] == [{"name": "Ann"}, {"name": "Ben"}]
        proxy.cut()
        await until(lambda: ann.state.name != "connected")
        await ben.enter(room_id, {"name": "Benjamin"})
        await until(lambda: ("update", {"name": "Benjamin"}) in changes)
        await ben.close()
        await until(lambda: [dict(entry.presence) for entry in room.members.values()] == [{"name": "Ann"}])
        assert [event for event, _ in changes] == ["join", "update", "leave"]


async def test_a_lobby_shows_its_rooms(world: World) -> None:
    async with world.client() as desk, world.client() as guest:
        lobby = await desk.lobby(world.app["slug"])
        await guest.enter(f"{world.app['slug']}/{world.room['slug']}", {"name": "Ann"})
        await until(lambda: world.room["slug"] in lobby.presence)
        await guest.close()
        await until(lambda: not lobby.presence)
        assert await desk.lobby_presence(world.app["slug"]) == {}


async def test_jobs_go_to_one_member_each_and_what_a_dying_one_had_goes_to_another(world: World) -> None:
    topic = world.topic("jobs")
    held: list[Message] = []
    done: list[Any] = []
    async with world.client() as boss, proxy_to(world.program.port) as proxy:
        async with world.client(url=proxy.socket_url, client_id="a") as one:
            await one.subscribe(topic, held.append, group="welders", ack="manual")
            for n in range(4):
                await boss.publish(topic, n)
            await until(lambda: len(held) == 4)
            held[0].ack()
            await asyncio.sleep(0)
        async with world.client(client_id="b") as two:
            await two.subscribe(topic, lambda message: done.append(message.data), group="welders")
            await boss.publish(topic, "marker")
            await until(lambda: "marker" in done)
            assert 0 not in done
            assert held[0].msg_id


async def test_a_token_is_renewed_without_closing_anything(world: World) -> None:
    actor = world.actor()
    key = world.rest.signing_keys.create(name="web")
    refusals: list[object] = []

    async def token(request: TokenRequest) -> str:
        refusals.append(request.refused)
        return client_token(key["signingKey"], actor["keyId"], 3)

    states: list[str] = []
    topic = world.topic("lines")
    async with world.client(token) as client, world.client() as sender:
        client.on("state", lambda state: states.append(state.name))
        messages = await client.subscribe(topic)
        await until(lambda: len(refusals) >= 4)
        await sender.publish(topic, 1)
        assert (await messages.__anext__()).data == 1
        assert states == []
        assert refusals == [None] * len(refusals)


async def test_what_is_wrong_with_the_address_or_the_token_is_told(world: World) -> None:
    with pytest.raises(ConnectionError, match=r"HTTP 404.*usually /ws"):
        async with roomwire.connect(world.program.socket_url + "s", world.actor()["accessToken"], reconnect=None):
            pass
    with pytest.raises(AuthenticationError, match="access_denied"):
        async with roomwire.connect(world.program.socket_url, "at_live_0123456789ab.wrong"):
            pass
    with pytest.raises(AuthenticationError, match="API key"):
        async with roomwire.connect(world.program.socket_url, world.program.api_key):
            pass
    with pytest.raises(ConnectionError, match="could not be reached"):
        async with roomwire.connect("ws://127.0.0.1:9/ws", "at_live_1.a", reconnect=None):
            pass


async def test_a_restart_of_the_server_is_survived(world: World) -> None:
    topic = world.topic("kept")
    seen: list[Any] = []
    async with world.client() as listener, world.client() as sender:
        await listener.subscribe(topic, lambda message: seen.append(message.data), resume=True)
        await sender.publish(topic, "before")
        await asyncio.to_thread(world.program.stop)
        await until(lambda: listener.state.name != "connected" and sender.state.name != "connected")
        await asyncio.to_thread(world.program.start)
        await sender.ready()
        await sender.publish(topic, "after")
        await until(lambda: seen == ["before", "after"])
