from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from roomwire import Timeouts, TokenRequest

from ..support.scripted_server import EPOCH, Peer, ScriptedServer, now


def encoded(value: dict[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class Tokens:
    """A token function whose tokens last for two minutes."""

    def __init__(self, life: float = 120) -> None:
        self.life = life
        self.asked: list[float] = []
        self.refusals: list[str | None] = []
        self.fails = False

    async def __call__(self, request: TokenRequest) -> str:
        self.asked.append(round(now() - EPOCH, 3))
        self.refusals.append(None if request.refused is None else request.refused.error)
        if self.fails:
            raise OSError("The backend is away")
        claims = {"exp": now() + self.life, "n": len(self.asked)}
        return f"{encoded({'alg': 'HS256', 'kid': 'sk_live_1'})}.{encoded(claims)}.c2ln"


async def renew(peer: Peer, life: float = 120) -> str:
    frame = await peer.expect("reauth")
    peer.send("reauth", success=True, authExpiresAt=now() + life)
    await peer.settle()
    token: str = frame["token"]
    return token


async def test_a_token_is_renewed_before_it_expires_and_nothing_closes() -> None:
    server, tokens = ScriptedServer(), Tokens()
    async with server.session(tokens) as (client, peer):
        for _ in range(3):
            await renew(peer)
        # By lot: the first within 40 to 90 % of the life, the others within 75 to 90 %.
        assert tokens.asked == pytest.approx([0, 78, 78 + 99, 78 + 2 * 99], abs=0.1)
        assert len(server.attempts) == 1
        assert client.state.name == "connected"


@pytest.mark.parametrize(("lot", "due"), [(0.0, 48.0), (0.999999, 108.0)])
async def test_the_first_renewal_is_spread_wide(lot: float, due: float) -> None:
    server, tokens = ScriptedServer(), Tokens()
    server.lot = lot
    async with server.session(tokens) as (_, peer):
        await peer.expect("reauth")
        assert tokens.asked[1] == pytest.approx(due, abs=0.1)
        peer.send("reauth", success=True)


async def test_the_expiry_that_the_server_tells_counts() -> None:
    server, tokens = ScriptedServer(), Tokens(life=3600)
    client = server.client(tokens)
    client.start()
    peer = await server.accept()
    await peer.authenticate(authExpiresAt=int(now()) + 10)
    await peer.expect("reauth")
    assert tokens.asked[1] == pytest.approx(6.5, abs=0.1)
    await client.close()


async def test_a_function_that_fails_is_tried_until_the_expiry() -> None:
    server, tokens = ScriptedServer(), Tokens()
    errors: list[str] = []
    async with server.session(tokens) as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        tokens.fails = True
        await asyncio.sleep(90)
        tokens.fails = False
        await renew(peer)
        assert errors[0] == "token_unavailable"
        assert tokens.asked[1:5] == pytest.approx([78, 78.75, 80.25, 83.25], abs=0.1)
        assert len(server.attempts) == 1


async def test_a_renewal_that_is_refused_is_tried_with_another_token() -> None:
    server, tokens = ScriptedServer(), Tokens()
    async with server.session(tokens) as (client, peer):
        client.on("error", lambda error: None)
        await peer.expect("reauth")
        peer.send("reauth", success=False, error="broker_unavailable")
        await peer.expect("reauth")
        peer.send("reauth", success=False, error="access_denied")
        await renew(peer)
        assert tokens.refusals == [None, None, None, "access_denied"]
        assert client.state.name == "connected"


async def test_an_answer_that_comes_too_late_is_not_that_of_the_next_renewal() -> None:
    server, tokens = ScriptedServer(), Tokens()
    errors: list[str] = []
    async with server.session(tokens, timeouts=Timeouts(request=10)) as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        await peer.expect("reauth")
        await peer.expect("reauth")
        assert errors == ["request_timeout"]
        peer.send("reauth", success=True, authExpiresAt=now() + 120)
        await peer.settle()
        peer.send("reauth", success=False, error="access_denied")
        await renew(peer)
        assert tokens.refusals == [None, None, None, "access_denied"]
        assert errors == ["request_timeout", "access_denied"]


async def test_a_token_that_expires_all_the_same_leads_to_a_new_connection_at_once() -> None:
    server, tokens = ScriptedServer(), Tokens()
    async with server.session(tokens) as (client, peer):
        client.on("error", lambda error: None)
        tokens.fails = True
        await asyncio.sleep(120)
        tokens.fails = False
        peer.send("disconnect", reason="token_expired")
        peer.close(4003, "token_expired")
        await server.connected()
        assert server.attempts[1] == pytest.approx(121.5, abs=0.1)
        assert tokens.refusals[-1] == "connection_lost"


async def test_a_machine_that_slept_renews_when_it_wakes(monkeypatch: pytest.MonkeyPatch) -> None:
    server, tokens = ScriptedServer(), Tokens()
    async with server.session(tokens) as (_, peer):
        # The time of day goes on, that of the event loop does not.
        await asyncio.sleep(1)
        monkeypatch.setattr("tests.support.scripted_server.EPOCH", EPOCH + 100)
        await peer.expect("reauth")
        assert asyncio.get_running_loop().time() <= 31
        peer.send("reauth", success=True)


async def test_the_servers_notice_is_one_more_reason() -> None:
    server, tokens = ScriptedServer(), Tokens()
    expirations: list[int] = []
    async with server.session(tokens) as (client, peer):
        client.on("token_expiring", expirations.append)
        await asyncio.sleep(5)
        peer.send("tokenExpiring", authExpiresAt=EPOCH + 120)
        await renew(peer)
        assert tokens.asked[1] == pytest.approx(5, abs=0.1)
        assert expirations == [EPOCH + 120]


async def test_a_function_that_gives_the_same_token_again_is_asked_again_in_peace() -> None:
    server, tokens = ScriptedServer(), Tokens()
    token = ""

    async def cached(request: TokenRequest) -> str:
        nonlocal token
        token = token if len(tokens.asked) % 5 else await tokens(request)
        tokens.asked.append(now() - EPOCH)
        return token

    async with server.session(cached) as (client, peer):
        await renew(peer)
        assert client.state.name == "connected"
        assert len(tokens.asked) <= 8


@pytest.mark.parametrize("wrong", [3600, -3600])
async def test_a_wrong_clock_renews_neither_too_often_nor_too_late(wrong: float) -> None:
    server, asked = ScriptedServer(), 0

    async def token(_: TokenRequest) -> str:
        nonlocal asked
        asked += 1
        # The clock of the backend is right, that of the client is not.
        issued_at = now() + wrong
        claims = {"iat": issued_at, "exp": issued_at + 120, "n": asked}
        return f"{encoded({'alg': 'HS256', 'kid': 'sk_live_1'})}.{encoded(claims)}.c2ln"

    async with server.session(token) as (_, peer):
        for _ in range(3):
            frame = await peer.expect("reauth")
            assert frame["token"]
            peer.send("reauth", success=True)
        assert 200 < asyncio.get_running_loop().time() < 320


async def test_what_does_not_expire_is_not_renewed() -> None:
    server = ScriptedServer()
    calls = 0

    def token(_: TokenRequest) -> str:
        nonlocal calls
        calls += 1
        return "at_live_1.a"

    async with server.session(token) as (_, peer):
        await peer.expect_silence(100_000)
        assert calls == 1
