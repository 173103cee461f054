from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64encode

import pytest

import roomwire
from roomwire import AuthenticationError, ConnectionError
from roomwire.client_name import CLIENT_NAME

from ..support.scripted_server import TOKEN, TOPIC, ScriptedServer, state_of


async def test_entering_the_client_waits_for_the_first_connection_and_leaving_it_closes() -> None:
    server = ScriptedServer()

    async def serve() -> None:
        peer = await server.accept()
        frame = await peer.authenticate()
        expected = {"type": "auth", "token": TOKEN, "protocolVersion": 2, "reconnect": False}
        assert frame == expected | {"features": True, "notices": True, "sdk": CLIENT_NAME}
        await peer.is_closed_by_client.wait()

    serving = asyncio.ensure_future(serve())
    async with server.client() as client:
        assert state_of(client) == "connected"
        assert "history" in client.features
    assert state_of(client) == "closed"
    await serving


async def test_a_refused_token_is_raised_by_the_block_and_says_what_to_look_at() -> None:
    server = ScriptedServer()

    async def serve() -> None:
        peer = await server.accept()
        await peer.expect("auth")
        peer.send("auth", success=False, error="access_denied")

    serving = asyncio.ensure_future(serve())
    with pytest.raises(AuthenticationError) as refused:
        async with server.client():
            pass
    await serving
    assert refused.value.error == "access_denied"
    assert "kid" in str(refused.value)
    assert TOKEN not in str(refused.value)


def jwt(header: dict[str, str]) -> str:
    return f"{urlsafe_b64encode(json.dumps(header).encode()).decode().rstrip('=')}.e30.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("token", "error", "says"),
    [
        ("ak_live_1a2b.secret", "api_key_as_token", "API key"),
        ("sk_live_1a2b.secret", "malformed_token", "signing key"),
        ("Bearer at_live_1a2b.secret", "malformed_token", "Bearer"),
        (jwt({"alg": "HS256", "kid": "sk"}).rpartition(".")[0], "malformed_token", "cut off"),
        ("eyJ!.e30.c2ln", "malformed_token", "three parts"),
        (jwt({"alg": "HS256"}), "token_without_kid", "kid"),
    ],
)
async def test_what_cannot_be_a_token_is_told_apart_before_it_is_sent(token: str, error: str, says: str) -> None:
    server = ScriptedServer()
    with pytest.raises(AuthenticationError) as refused:
        async with server.client(token):
            pass
    assert refused.value.error == error
    assert says in str(refused.value)
    assert server.attempts == []
    assert token not in str(refused.value)


async def test_a_token_with_a_kid_is_sent() -> None:
    server = ScriptedServer()
    async with server.session(jwt({"alg": "HS256", "kid": "sk_live_1"})) as (client, _):
        assert state_of(client) == "connected"


async def test_a_server_of_protocol_1_is_final() -> None:
    server = ScriptedServer()
    client = server.client()
    client.start()
    await (await server.accept()).authenticate(protocolVersion=1)
    with pytest.raises(ConnectionError, match="version 2"):
        await client.ready()
    await client.close()


@pytest.mark.parametrize(
    ("timeout", "error"),
    [("connect", "connect_timeout"), ("auth", "auth_timeout"), ("token", "token_unavailable")],
)
async def test_an_attempt_that_takes_too_long_is_given_up(timeout: str, error: str) -> None:
    server = ScriptedServer()

    async def never(_: object) -> str:
        await asyncio.sleep(1e6)
        return TOKEN

    client = server.client(never if timeout == "token" else TOKEN, reconnect=None, timeouts=roomwire.Timeouts(token=10))
    server.is_silent = timeout == "connect"
    client.start()
    with pytest.raises(ConnectionError) as failed:
        await client.ready()
    assert failed.value.error == error
    assert asyncio.get_running_loop().time() == pytest.approx(10)
    await client.close()


def test_wrong_options_are_named_all_at_once() -> None:
    with pytest.raises(ValueError, match=r"url must be .*; token must be .*; timeouts\.close must be above 0") as wrong:
        roomwire.connect("http://x", "", timeouts=roomwire.Timeouts(close=0))
    assert "heartbeat" not in str(wrong.value)


async def test_a_client_that_is_not_started_says_so() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        await ScriptedServer().client().publish(TOPIC, 1)


async def test_a_heartbeat_without_an_answer_ends_the_connection() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        await asyncio.sleep(100)
        assert peer.heartbeats == 3
        peer.answers_heartbeats = False
        await asyncio.sleep(30.1)
        assert state_of(client) == "waiting"
        await server.connected()
        assert state_of(client) == "connected"


async def test_a_frame_that_cannot_be_read_is_an_error_event_and_one_of_another_type_is_passed_over() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with server.session() as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        peer.send_raw(b"\xc1")
        peer.send_raw("text")
        peer.send("newer", anything=1)
        peer.send("message", topic=1)
        await peer.settle()
        assert errors == ["undecodable_frame"] * 3
        assert state_of(client) == "connected"


async def test_a_listener_that_fails_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    server = ScriptedServer()
    client = server.client()

    def fail(_: roomwire.ConnectionState) -> None:
        raise ValueError("Bad luck")

    remove = client.on("state", fail)
    client.start()
    await server.connected()
    assert (await client.ready()).actor_token_id == "me"
    assert "A listener failed" in caplog.text
    remove()
    await client.close()


async def test_what_was_to_be_sent_is_sent_before_the_client_closes() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        publishing = asyncio.ensure_future(client.publish(TOPIC, 1))
        await asyncio.sleep(0)
        await client.close()
        await peer.expect("publish")
        with pytest.raises(ConnectionError) as lost:
            await publishing
        assert lost.value.error == "connection_lost"
        with pytest.raises(ConnectionError) as closed:
            await client.publish(TOPIC, 1)
        assert closed.value.error == "client_closed"
