"""An app with a room, and actors in it, made by the library's own client."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import roomwire
from roomwire import Backoff, Client
from roomwire.rest import RestClient, types

from .program import Program

QUICK = Backoff(early=(0.05,), base=0.05, maximum=0.2, restart_spread=0.05)

ActorType = Literal["device", "user", "service", "session", "agent", "orchestrator", "observer"]


@dataclass(frozen=True)
class World:
    program: Program
    rest: RestClient
    app: types.App
    room: types.Room

    def topic(self, name: str) -> str:
        return f"{self.app['slug']}/{self.room['slug']}/{name}"

    def actor(self, actor_type: ActorType = "user") -> types.CreatedActor:
        return self.rest.actors.create(name="someone", actorType=actor_type)

    @asynccontextmanager
    async def client(self, token: Any = None, *, url: str | None = None, **options: Any) -> AsyncIterator[Client]:
        given = self.actor()["accessToken"] if token is None else token
        async with roomwire.connect(url or self.program.socket_url, given, reconnect=QUICK, **options) as client:
            yield client


def make_world(program: Program, rest: RestClient) -> World:
    app = rest.apps.create(
        name="demo",
        topics=["lines", "kept", "jobs"],
        config={"autoProvisionRooms": True},
        topicConfigs={"kept": {"history": {}}, "jobs": {"logging": {"enabled": True, "retention": "1d"}}},
    )
    return World(program, rest, app, rest.rooms.create(app["appId"], name="lobby"))


def client_token(signing_key: str, actor_key_id: str, seconds: float) -> str:
    key_id, secret = signing_key.split(".", 1)
    claims = {"sub": actor_key_id, "exp": int(time.time() + seconds)}
    signed = ".".join(map(encoded, ({"alg": "HS256", "kid": key_id}, claims)))
    signature = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "It did not happen in time"
        await asyncio.sleep(0.01)
