from __future__ import annotations

import asyncio

import pytest

from roomwire import AuthenticationError, Backoff, Closed, ConnectionError, Waiting
from roomwire.connection.reconnect import RetrySchedule, retry_of
from roomwire.errors import RoomwireError

from ..support.scripted_server import TOKEN, ScriptedServer

LOST = ConnectionError("connection_lost", close_code=1006)


def waits(lasted: float, error: RoomwireError, count: int, lot: float = 0.0) -> list[float]:
    schedule = RetrySchedule(Backoff(), lambda: lot)
    schedule.lost(lasted)
    retry = retry_of(error)
    assert retry is not None
    return [schedule.next(retry) for _ in range(count)]


def test_after_the_loss_of_a_good_connection_the_first_tries_come_early() -> None:
    assert waits(10, LOST, 8) == [0, 1, 2, 5, 7.5, 11.25, 16.875, 25.3125]
    assert waits(10, LOST, 1, lot=0.5) == [0.25]


def test_after_the_loss_of_another_the_schedule_of_the_contract_holds() -> None:
    assert waits(9.9, LOST, 7) == [5, 7.5, 11.25, 16.875, 25.3125, 30, 30]
    assert waits(9.9, LOST, 2, lot=1) == [2.5, 3.75]


def test_a_planned_restart_spreads_the_clients_and_a_limit_lets_them_wait() -> None:
    restart = ConnectionError("connection_lost", close_code=1012)
    assert waits(5, restart, 2, lot=0.5) == [1.5, 3.75]
    assert waits(50, restart, 4, lot=0.5) == [1.5, 1, 2, 3.75]
    assert waits(50, AuthenticationError("broker_unavailable"), 2) == [0, 1]
    for code in (1008, 1009, 1013, 4002):
        assert waits(50, ConnectionError("connection_lost", close_code=code), 1) == [5]


def test_waits_do_not_grow_for_ever() -> None:
    assert waits(0, LOST, 10_000)[-1] == 30


async def test_a_restart_of_three_seconds_is_over_within_half_a_second_of_the_servers_return() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        await asyncio.sleep(20)
        server.refuse()
        lost_at = asyncio.get_running_loop().time()
        peer.close()
        await asyncio.sleep(3)
        server.refuses = None
        await server.connected()
        assert client.state.name == "connected"
        assert [round(at - lost_at, 2) for at in server.attempts[1:]] == [0.25, 1.25, 3.25]


async def test_the_count_starts_anew_with_each_connection() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        for _ in range(3):
            peer.close()
            await peer.settle()
            assert isinstance(client.state, Waiting)
            assert (client.state.failures, client.state.retry_in) == (1, 3.75)
            assert isinstance(client.state.reason, ConnectionError)
            assert client.state.reason.close_code == 1006
            peer = await server.connected()


@pytest.mark.parametrize(
    ("code", "reason"),
    [(4001, "token_revoked"), (4003, "token_expired")],
)
async def test_a_token_that_is_a_text_and_spent_ends_the_client(code: int, reason: str) -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        peer.close(code, reason)
        await peer.settle()
        assert isinstance(client.state, Closed)
        assert isinstance(client.state.reason, ConnectionError)
        assert client.state.reason.close_reason == reason
        with pytest.raises(ConnectionError):
            await client.ready()


async def test_one_that_was_closed_by_hand_comes_back_with_the_same_token() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        peer.close(4001, "kicked")
        await peer.settle()
        assert isinstance(client.state, Waiting)
        peer = await server.accept()
        assert (await peer.authenticate())["token"] == TOKEN


async def test_a_token_function_is_told_why_and_the_same_token_again_is_final() -> None:
    server = ScriptedServer()
    refusals: list[str | None] = []
    tokens = ["at_live_1.a", "at_live_1.b", "at_live_1.b"]

    def token(request: object) -> str:
        refused = request.refused  # type: ignore[attr-defined]
        refusals.append(refused and refused.close_reason)
        return tokens[len(refusals) - 1]

    async with server.session(token) as (client, peer):
        peer.close(4001, "token_revoked")
        peer = await server.accept()
        assert (await peer.authenticate())["token"] == "at_live_1.b"
        await peer.settle()
        peer.close(4001, "token_revoked")
        await asyncio.sleep(60)
        assert refusals == [None, "token_revoked", "token_revoked"]
        assert isinstance(client.state, Closed)


async def test_a_token_function_that_fails_is_asked_again() -> None:
    server = ScriptedServer()
    calls = 0

    async def token(_: object) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OSError("The backend is away")
        return "" if calls == 2 else TOKEN

    client = server.client(token)
    seen: list[str] = []
    client.on("state", lambda state: seen.append(str(state.reason) if isinstance(state, Waiting) else state.name))
    client.start()
    await server.connected()
    assert seen[0] == "The token function failed or gave no token. The backend is away"
    assert "It gave no text" in seen[2]
    assert calls == 3
    await client.close()


async def test_without_reconnect_the_first_failure_is_final() -> None:
    server = ScriptedServer()
    async with server.session(reconnect=None) as (client, peer):
        peer.close(1012)
        await peer.settle()
        assert client.state.name == "closed"


async def test_closing_while_waiting_or_while_a_token_is_fetched_leaves_nothing_behind() -> None:
    server = ScriptedServer()
    server.refuse()
    client = server.client()
    client.start()
    await asyncio.sleep(1)
    assert client.state.name == "waiting"
    await client.close()

    async def never(_: object) -> str:
        await asyncio.sleep(1e6)
        return ""

    client = server.client(never)
    client.start()
    await asyncio.sleep(1)
    await client.close()
    await client.close()
    assert client.state.name == "closed"
