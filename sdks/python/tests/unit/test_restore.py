"""What is made again after a reconnect, when the server refuses it for a reason that may pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from roomwire import Client, RoomwireError, Subscription

from ..support.scripted_server import TOPIC, Peer, ScriptedServer

FEATURES = ["rooms"]
DELAYS = [0.75, 1.5, 3.0]
"""A quarter less than 1, 2 and 4 seconds, by the lot of 0.5."""


async def subscribed(client: Client, peer: Peer, topic: str = TOPIC) -> Subscription:
    async def subscribe() -> Subscription:
        return await client.subscribe(topic, lambda _: None)

    subscribing = asyncio.ensure_future(subscribe())
    await peer.subscribe()
    return await subscribing


async def reconnected(server: ScriptedServer, peer: Peer) -> Peer:
    peer.close()
    return await server.connected(features=FEATURES)


def has_ended(subscription: Subscription) -> bool:
    return subscription._member.ended.done()


@pytest.mark.parametrize("error", ["broker_unavailable", "memory_limit_exceeded"])
async def test_a_subscription_is_asked_for_again_ever_later(error: str) -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with server.session() as (client, peer):
        client.on("error", lambda reported: errors.append(reported.error))
        subscription = await subscribed(client, peer)
        peer = await reconnected(server, peer)
        for delay in DELAYS:
            await peer.expect("subscribe")
            refused_at = asyncio.get_running_loop().time()
            peer.send("error", error=error, topic=TOPIC)
            await wait_for_frame(peer)
            assert asyncio.get_running_loop().time() - refused_at == pytest.approx(delay, abs=0.01)
        await peer.subscribe()
        await peer.expect_silence()
        assert not has_ended(subscription)
        assert errors == [error] * len(DELAYS)


async def wait_for_frame(peer: Peer) -> None:
    frame = await asyncio.wait_for(peer.frames.get(), 3600)
    peer.frames.put_nowait(frame)


async def test_a_subscription_that_is_left_meanwhile_is_not_asked_for_again() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscription = await subscribed(client, peer)
        peer = await reconnected(server, peer)
        await peer.expect("subscribe")
        peer.send("error", error="broker_unavailable", topic=TOPIC)
        await peer.settle()
        await subscription.unsubscribe()
        await peer.expect_silence()


async def test_after_a_time_out_what_the_server_may_have_is_ended_and_asked_for_again() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with server.session() as (client, peer):
        client.on("error", lambda reported: errors.append(reported.error))
        subscription = await subscribed(client, peer)
        peer = await reconnected(server, peer)
        await peer.expect("subscribe")
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        await peer.subscribe()
        await peer.expect_silence()
        assert not has_ended(subscription)
        assert errors == ["request_timeout"]


async def test_whoever_has_not_started_is_told() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        subscription = await subscribed(client, peer)
        peer = await reconnected(server, peer)
        await peer.expect("subscribe")

        async def join() -> None:
            await client.subscribe(TOPIC, lambda _: None)

        joining = asyncio.ensure_future(join())
        await peer.settle()
        peer.send("error", error="broker_unavailable", topic=TOPIC)
        with pytest.raises(RoomwireError) as refused:
            await joining
        assert refused.value.error == "broker_unavailable"
        await peer.subscribe()
        assert not has_ended(subscription)


async def test_of_6000_topics_that_are_answered_100_a_second_none_ends() -> None:
    server = ScriptedServer()
    topics = [f"chat/lobby/{number}" for number in range(6000)]
    async with server.session() as (client, peer):
        subscriptions = [await subscribed(client, peer, topic) for topic in topics]
        peer = await reconnected(server, peer)
        most_unanswered = 0
        for _ in topics:
            most_unanswered = max(most_unanswered, peer.frames.qsize())
            await peer.subscribe()
            await asyncio.sleep(0.01)
        await peer.settle()
        assert most_unanswered == 500
        assert not any(has_ended(subscription) for subscription in subscriptions)
        await peer.expect_silence()


async def test_topics_that_a_server_does_not_have_end_one_by_one() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        for number in range(500):
            await subscribed(client, peer, f"chat/lobby/{number}")
        followed = []
        for number in range(500):
            joining = asyncio.ensure_future(follow(client, f"chat/lobby/followed-{number}"))
            await peer.subscribe(position="p1")
            followed.append(await joining)
        peer = await reconnected(server, peer)
        for _ in range(500):
            await peer.subscribe()
        await peer.settle()
        errors = [await subscription.ended() for subscription in followed]
        assert {error and error.error for error in errors} == {"unsupported_feature"}
        await peer.expect_silence()


async def follow(client: Client, topic: str) -> Subscription:
    return await client.subscribe(topic, lambda _: None, resume=True)


async def enter(client: Client) -> None:
    await client.enter("lobby")


async def count(client: Client) -> None:
    await client.count("lobby")


async def watch(client: Client) -> None:
    await client.lobby("halls")


@pytest.mark.parametrize(
    ("begin", "kinds", "answers", "refusal"),
    [
        (
            enter,
            ["presence", "getPresence", "getPresence"],
            [("presenceList", {"data": []}), ("presenceList", {"roomId": "lobby", "data": []})],
            {"topic": "lobby"},
        ),
        (count, ["presence"], [("presenceCount", {"roomId": "lobby", "present": 1})], {"topic": "lobby"}),
        (watch, ["lobbySubscribe"], [("lobbySubscribed", {"lobbyId": "halls", "presence": {}})], {"lobbyId": "halls"}),
    ],
)
async def test_a_presence_a_count_and_a_lobby_are_asked_for_again(
    begin: Callable[[Client], Awaitable[None]],
    kinds: list[str],
    answers: list[tuple[str, dict[str, Any]]],
    refusal: dict[str, str],
) -> None:
    server = ScriptedServer()
    errors: list[str] = []

    async def accept(peer: Peer) -> None:
        await peer.expect(kinds[0])
        if len(kinds) > 1:
            await peer.expect(kinds[1])
        peer.send(answers[0][0], **answers[0][1])
        if len(kinds) > 1:
            await peer.expect(kinds[2])
            peer.send(answers[1][0], **answers[1][1])
        await peer.settle()

    async with server.session() as (client, peer):
        client.on("error", lambda reported: errors.append(reported.error))
        peer = await reconnected(server, peer)
        beginning = asyncio.ensure_future(begin(client))
        await accept(peer)
        await beginning
        peer = await reconnected(server, peer)
        for _ in DELAYS:
            for kind in kinds[:2]:
                await peer.expect(kind)
            peer.send("error", error="broker_unavailable", **refusal)
            if len(kinds) > 1:
                peer.send(answers[0][0], **answers[0][1])
        await peer.settle()
        assert errors == ["broker_unavailable"] * len(DELAYS)
        # The wait ends with the connection, and all of it begins anew with the next one.
        peer = await reconnected(server, peer)
        await accept(peer)
        await peer.expect_silence()
        assert errors == ["broker_unavailable"] * len(DELAYS)
