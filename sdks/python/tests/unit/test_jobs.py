from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from roomwire import Client, Job, Jobs, JobSubscription, RoomwireError

from ..support.scripted_server import TOPIC, Peer, ScriptedServer

FEATURES = ["jobs"]


@asynccontextmanager
async def session(server: ScriptedServer) -> AsyncIterator[tuple[Client, Peer]]:
    async with server.session() as (client, peer):
        peer.close()
        yield client, await server.connected(features=FEATURES)


def hand(peer: Peer, msg_id: str, **fields: Any) -> None:
    peer.message(msg_id, msgId=msg_id, requiresAck=True, **fields)


async def joined(client: Client, peer: Peer, handler: Any = None, jobs: Jobs | None = None, **options: Any) -> JobSubscription:
    async def join() -> JobSubscription:
        return await client.subscribe(TOPIC, handler, jobs=jobs or Jobs(), **options)

    joining = asyncio.ensure_future(join())
    await peer.subscribe()
    return await joining


async def test_the_group_is_asked_for_with_its_options() -> None:
    server = ScriptedServer()
    async with session(server) as (client, peer):
        joining = asyncio.ensure_future(
            subscribe(client, group="mill", jobs=Jobs(ack_seconds=5, max_deliveries=3, retry_seconds=9), concurrency=8)
        )
        frame = await peer.subscribe()
        assert (frame["loadBalance"], frame["loadBalanceGroup"]) == (True, "mill")
        assert frame["jobs"] == {"prefetch": 8, "ackSeconds": 5, "maxDeliveries": 3}
        await joining
        with pytest.raises(RoomwireError) as conflict:
            await subscribe(client, group="mill", jobs=Jobs(ack_seconds=5, max_deliveries=3, retry_seconds=9), concurrency=8)
        assert conflict.value.error == "subscription_conflict"


async def subscribe(client: Client, **options: Any) -> None:
    await client.subscribe(TOPIC, lambda _: None, **options)


async def test_a_job_is_acknowledged_when_its_handler_has_returned_and_given_back_when_it_fails() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    deliveries: list[int] = []

    async def work(job: Job) -> None:
        deliveries.append(job.delivery)
        await asyncio.sleep(1)
        if job.data == "bad":
            raise ValueError("mine")

    async with session(server) as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        await joined(client, peer, work, Jobs(retry_seconds=lambda delivery: 20 * delivery))
        hand(peer, "good")
        hand(peer, "bad", delivery=2)
        assert await peer.expect("ack") == {"type": "ack", "msgId": "good"}
        assert await peer.expect("nack") == {"type": "nack", "msgId": "bad", "delaySeconds": 40}
        assert (errors, deliveries) == (["handler_failed"], [1, 2])


@pytest.mark.parametrize("awaited", ["a future", "another task"])
async def test_a_handler_that_waits_for_what_is_cancelled_has_failed_and_the_next_job_is_taken(awaited: str) -> None:
    server = ScriptedServer()
    errors: list[str] = []

    async def work(job: Job) -> None:
        if job.data == "bad":
            waited: asyncio.Future[Any] = asyncio.ensure_future(asyncio.sleep(60)) if awaited == "another task" else asyncio.Future()
            waited.cancel()
            await waited

    async with session(server) as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        await joined(client, peer, work)
        hand(peer, "bad")
        hand(peer, "good")
        assert await peer.expect("nack") == {"type": "nack", "msgId": "bad"}
        assert await peer.expect("ack") == {"type": "ack", "msgId": "good"}
        assert errors == ["handler_failed"]


async def test_a_handler_that_the_client_cancels_has_not_failed() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with session(server) as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        await joined(client, peer, lambda _: asyncio.sleep(3600))
        hand(peer, "a")
        await peer.settle()
    assert errors == []


async def test_a_job_whose_rest_cannot_be_told_is_given_back_at_once() -> None:
    server = ScriptedServer()
    errors: list[str] = []

    def fail(_: object) -> int:
        raise ValueError("mine")

    async with session(server) as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        await joined(client, peer, fail, Jobs(retry_seconds=fail))
        for name in ("a", "b"):
            hand(peer, name)
            assert await peer.expect("nack") == {"type": "nack", "msgId": name}
        assert errors == ["handler_failed"] * 4


@pytest.mark.parametrize(("seconds", "sent"), [(960, {"delaySeconds": 900}), (1.4, {"delaySeconds": 1}), (-5, {}), (math.nan, {})])
async def test_a_job_rests_as_the_server_takes_it(seconds: float, sent: dict[str, int]) -> None:
    server = ScriptedServer()

    def fail(_: object) -> None:
        raise ValueError("mine")

    async with session(server) as (client, peer):
        client.on("error", lambda _: None)
        await joined(client, peer, fail, Jobs(retry_seconds=lambda _: seconds))
        hand(peer, "a")
        assert await peer.expect("nack") == {"type": "nack", "msgId": "a", **sent}


async def test_jobs_are_not_kept_alive_when_the_subscription_has_ended() -> None:
    server = ScriptedServer()
    go_on = asyncio.Event()

    async def work(_: Job) -> None:
        await go_on.wait()

    async with session(server) as (client, peer):
        subscription = await joined(client, peer, work, Jobs(keep_alive=True))
        hand(peer, "a")
        hand(peer, "b")
        await peer.settle()
        leaving = asyncio.ensure_future(subscription.unsubscribe())
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        await leaving
        await peer.expect_silence()
        go_on.set()
        assert await peer.expect("ack") == {"type": "ack", "msgId": "a"}


async def test_a_job_is_settled_once_by_what_is_said_first() -> None:
    server = ScriptedServer()
    jobs: list[Job] = []
    async with session(server) as (client, peer):
        await joined(client, peer, jobs.append, ack="manual")
        hand(peer, "a")
        hand(peer, "b")
        await peer.settle()
        jobs[0].progress()
        jobs[0].nack(900)
        jobs[0].ack()
        jobs[1].ack()
        jobs[1].progress()
        assert [await peer.expect(kind) for kind in ("progress", "nack", "ack")] == [
            {"type": "progress", "msgId": "a"},
            {"type": "nack", "msgId": "a", "delaySeconds": 900},
            {"type": "ack", "msgId": "b"},
        ]
        await peer.expect_silence()


async def test_a_job_is_kept_alive_until_it_is_settled() -> None:
    server = ScriptedServer()

    async def work(_: Job) -> None:
        await asyncio.sleep(10)

    async with session(server) as (client, peer):
        await joined(client, peer, work, Jobs(keep_alive=True, ack_seconds=9))
        hand(peer, "slow")
        for _ in range(3):
            assert await peer.expect("progress") == {"type": "progress", "msgId": "slow"}
        await peer.expect("ack")
        await peer.expect_silence()


async def test_jobs_end_quietly_with_their_connection() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    begun: list[Job] = []
    go_on = asyncio.Event()

    async def work(job: Job) -> None:
        begun.append(job)
        await go_on.wait()
        if job.data == "b":
            raise ValueError("mine")

    async with session(server) as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        await joined(client, peer, work, Jobs(keep_alive=True), concurrency=2)
        for name in ("a", "b", "c"):
            hand(peer, name)
        await peer.settle()
        peer.close()
        peer = await server.connected(features=FEATURES)
        assert [job.is_lost for job in begun] == [True, True]
        await peer.subscribe()
        go_on.set()
        hand(peer, "d")
        assert await peer.expect("ack") == {"type": "ack", "msgId": "d"}
        assert [job.data for job in begun] == ["a", "b", "d"]
        assert errors == []
        await peer.expect_silence()


async def test_what_was_begun_counts_after_the_end_of_the_subscription_and_what_waited_is_left_to_others() -> None:
    server = ScriptedServer()
    begun: list[Job] = []
    go_on = asyncio.Event()

    async def work(job: Job) -> None:
        begun.append(job)
        await go_on.wait()

    async with session(server) as (client, peer):
        subscription = await joined(client, peer, work)
        hand(peer, "a")
        hand(peer, "b")
        await peer.settle()
        leaving = asyncio.ensure_future(subscription.unsubscribe())
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        await leaving
        await peer.settle()
        assert [job.is_lost for job in begun] == [True]
        go_on.set()
        assert await peer.expect("ack") == {"type": "ack", "msgId": "a"}
        await peer.expect_silence()


async def test_a_job_is_done_with_when_its_handler_fails_behind_the_end_of_the_subscription() -> None:
    server = ScriptedServer()
    begun: list[Job] = []
    go_on = asyncio.Event()

    async def work(job: Job) -> None:
        begun.append(job)
        await go_on.wait()
        raise ValueError("mine")

    async with session(server) as (client, peer):
        subscription = await joined(client, peer, work)
        hand(peer, "a")
        await peer.settle()
        leaving = asyncio.ensure_future(subscription.unsubscribe())
        await peer.expect("unsubscribe")
        peer.send("unsubscribed", topic=TOPIC)
        await leaving
        go_on.set()
        await peer.settle()
        begun[0].ack()
        begun[0].progress()
        await peer.expect_silence()


async def test_jobs_may_come_as_a_loop() -> None:
    server = ScriptedServer()
    async with session(server) as (client, peer):
        jobs = await joined(client, peer)
        hand(peer, "a")
        hand(peer, "b", delivery=4)
        first = await jobs.__anext__()
        second = await jobs.__anext__()
        assert await peer.expect("ack") == {"type": "ack", "msgId": "a"}
        second.nack()
        assert await peer.expect("nack") == {"type": "nack", "msgId": "b"}
        assert (first.delivery, second.delivery) == (1, 4)


async def test_an_older_server_would_lose_them() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        with pytest.raises(RoomwireError) as refused:
            await client.subscribe(TOPIC, jobs=Jobs())
        assert refused.value.error == "unsupported_feature"
        await peer.expect_silence()
