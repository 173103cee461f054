"""The adapter of this library for the conformance kit (`sdks/conformance`), which says what the lines mean."""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import math
import sys
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

import roomwire
from roomwire import Backoff, Client, Heartbeat, Job, Jobs, Message, MessageMeta, PresenceEntry, RoomwireError, Timeouts, TokenRequest

SUPPORTS = [
    *["meta", "own", "idempotency", "history", "resume", "presence", "members", "lobbies", "groups", "manualAck", "sessions"],
    *["tokenFunctions", "renewal", "earlyReconnect", "tokenChecks", "notices", "hydration", "bytes", "bigIntegers"],
    *["leave", "rooms", "counts", "jobs", "later", "concurrency"],
]
SAFE = 2**53 - 1


def write(line: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return {"$time": value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > SAFE:
        return {"$int": str(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    return [to_json(item) for item in value] if isinstance(value, (list, tuple)) else value


FROM_JSON: dict[str, Callable[[str], Any]] = {
    "$bytes": base64.b64decode,
    "$int": int,
    "$float": float,
    "$time": lambda text: datetime.fromisoformat(text.replace("Z", "+00:00")),
}


def from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    (name, only), *others = list(value.items()) or [("", None)]
    if name in FROM_JSON and not others:
        return FROM_JSON[name](only)
    return {key: from_json(item) for key, item in value.items()}


def error_of(error: BaseException) -> dict[str, Any]:
    if not isinstance(error, RoomwireError):
        return {"error": "invalid_options" if isinstance(error, (TypeError, ValueError)) else type(error).__name__, "message": str(error)}
    names = {
        "code": "code",
        "topic": "topic",
        "hint": "hint",
        "lobbyId": "lobby_id",
        "maxSizeBytes": "max_size_bytes",
        "closeCode": "close_code",
        "closeReason": "close_reason",
        "httpStatus": "http_status",
        "reason": "reason",
        "help": "help",
    }
    details = {name: getattr(error, attribute, None) for name, attribute in names.items()}
    return {"error": error.error, "message": str(error), **{name: value for name, value in details.items() if value is not None}}


def meta_of(meta: MessageMeta | None) -> dict[str, Any] | None:
    return None if meta is None else {"id": meta.id, "at": meta.at, "from": meta.sender, "position": meta.position}


def message_of(message: Message) -> dict[str, Any]:
    fields = {"topic": message.topic, "data": to_json(message.data), "filter": message.filter, "meta": meta_of(message.meta)}
    delivery = {"delivery": message.delivery} if isinstance(message, Job) else {}
    return {**fields, "isReplay": message.is_replay, "msgId": message.msg_id, **delivery}


def entry_of(entry: PresenceEntry) -> dict[str, Any]:
    return {"actorTokenId": entry.actor_token_id, "presence": to_json(entry.presence), "joinedAt": entry.joined_at}


def contents_of(contents: roomwire.LobbyContents) -> dict[str, Any]:
    return {room: {actor: entry_of(entry) for actor, entry in actors.items()} for room, actors in contents.items()}


def seconds(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Milliseconds under the kit's names as seconds under ours."""
    plain = ("multiplier", "jitter")
    as_seconds = {
        ours: tuple(wait / 1000 for wait in options[name]) if isinstance(options[name], list) else options[name] / 1000
        for name, ours in names.items()
        if options.get(name) is not None
    }
    return {**as_seconds, **{name: options[name] for name in plain if options.get(name) is not None}}


JOBS = {
    "prefetch": "prefetch",
    "ackSeconds": "ack_seconds",
    "maxDeliveries": "max_deliveries",
    "retrySeconds": "retry_seconds",
    "keepAlive": "keep_alive",
}


def jobs_of(options: Mapping[str, Any]) -> Jobs:
    return Jobs(**{ours: options[name] for name, ours in JOBS.items() if options.get(name) is not None})


BACKOFF = {"earlyMs": "early", "wellMs": "well_after", "baseMs": "base", "maxMs": "maximum", "restartSpreadMs": "restart_spread"}
TIMEOUTS = {f"{name}Ms": name for name in ("token", "connect", "auth", "request", "publish", "close")}


class Adapter:
    def __init__(self) -> None:
        self._clients: dict[str, Client] = {}
        self._subscriptions: dict[tuple[str, str], roomwire.Subscription | roomwire.Lobby] = {}
        self._counts: dict[tuple[str, str], roomwire.Count] = {}
        self._messages: dict[tuple[str, str], list[Message]] = {}
        self._waiting: dict[tuple[str, str, int], asyncio.Event] = {}
        self._rooms: dict[tuple[str, str], roomwire.Room] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[int, asyncio.Future[str]] = {}
        self._requests: dict[str, Callable[..., Awaitable[Any]]] = {
            "connect": self.connect,
            "ready": self.ready,
            "state": self.state,
            "features": self.features,
            "subscribe": self.subscribe,
            "unsubscribe": self.unsubscribe,
            "setFilters": self.set_filters,
            "position": self.position,
            "publish": self.publish,
            "history": self.history,
            "ack": self.ack,
            "nack": self.nack,
            "progress": self.progress,
            "finish": self.finish,
            "enter": self.enter,
            "leave": self.leave,
            "count": self.count,
            "presence": self.presence,
            "members": self.members,
            "track": self.track,
            "lobby": self.lobby,
            "lobbyPresence": self.lobby_presence,
            "close": self.close,
        }

    async def run(self) -> None:
        write({"hello": {"language": "python", "version": version("roomwire"), "supports": SUPPORTS}})
        reader = asyncio.StreamReader(limit=2**24)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            request = json.loads(line)
            if "answer" in request:
                self._answer(request)
                continue
            self._keep(asyncio.ensure_future(self._serve(request)))
        await asyncio.gather(*(client.close() for client in self._clients.values()))

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, request: dict[str, Any]) -> None:
        id_, do = request.pop("id"), self._requests.get(request.pop("do"))
        try:
            if do is None:
                write({"id": id_, "error": {"error": "unsupported", "message": "No such request"}})
            else:
                # What a request has besides is for the kit, or for a later version of it.
                known = inspect.signature(do).parameters
                fields = {name: value for name, value in request.items() if value is not None and name in known}
                write({"id": id_, "ok": await do(**fields)})
        except Exception as error:
            write({"id": id_, "error": error_of(error)})

    def _answer(self, answer: dict[str, Any]) -> None:
        asked = self._asked.pop(answer["answer"])
        if asked.done():
            return
        if "error" in answer:
            asked.set_exception(RuntimeError(answer["error"]))
        else:
            asked.set_result(answer["ok"])

    def _token_function(self, client: str) -> roomwire.TokenFunction:
        async def token(request: TokenRequest) -> str:
            number = len(self._asked) + 1
            while number in self._asked:
                number += 1
            self._asked[number] = asyncio.get_running_loop().create_future()
            write({"ask": number, "client": client, "refused": None if request.refused is None else request.refused.error})
            return await self._asked[number]

        return token

    async def connect(self, client: str, url: str, token: Any, options: Mapping[str, Any] | None = None) -> None:
        given = options or {}
        waits = given.get("reconnect")
        opened = roomwire.connect(
            url,
            token if isinstance(token, str) else self._token_function(client) if isinstance(token, dict) else token,
            client_id=given.get("clientId"),
            resume=given.get("resume", False),
            reconnect=None if waits is False else Backoff(**seconds(waits or {}, BACKOFF)),
            heartbeat=Heartbeat(**seconds(given.get("heartbeat", {}), {"intervalMs": "interval", "timeoutMs": "timeout"})),
            timeouts=Timeouts(**seconds(given.get("timeouts", {}), TIMEOUTS)),
        )
        self._clients[client] = opened

        def tell(event: str, **fields: Any) -> None:
            write({"event": event, "client": client, **fields})

        def state(state: roomwire.ConnectionState) -> None:
            if isinstance(state, (roomwire.Waiting, roomwire.Closed)):
                tell("state", name=state.name, error=error_of(state.reason))
            else:
                tell("state", name=state.name)

        def presence(change: roomwire.PresenceChange) -> None:
            entry = change.after or change.before
            about = {"kind": change.event, "room": change.room_id, "actorTokenId": change.actor_token_id}
            tell("presence", **about, presence=to_json(entry.presence if entry else {}))

        def member(change: roomwire.PresenceChange) -> None:
            before, after = (None if entry is None else to_json(entry.presence) for entry in (change.before, change.after))
            actor = change.actor_token_id
            tell("member", room=change.room_id, kind=change.event, actorTokenId=actor, before=before, after=after)

        opened.on("state", state)
        opened.on("member", member)
        opened.on("error", lambda error: tell("error", error=error_of(error)))
        opened.on("presence", presence)
        if given.get("notices"):
            opened.on("token_expiring", lambda expires_at: tell("notice", kind="tokenExpiring", authExpiresAt=expires_at))
        opened.start()

    async def ready(self, client: str) -> dict[str, Any]:
        session = await self._clients[client].ready()
        return {"actorTokenId": session.actor_token_id, "actorType": session.actor_type}

    async def state(self, client: str) -> dict[str, Any]:
        return {"name": self._clients[client].state.name}

    async def features(self, client: str) -> list[str]:
        return sorted(self._clients[client].features)

    async def subscribe(self, client: str, sub: str, topic: str, options: Mapping[str, Any] | None = None) -> None:
        given = dict(options or {})
        behaviour = given.pop("handler", "pass")
        if "jobs" in given:
            given["jobs"] = jobs_of(given["jobs"])
        rewind, resume = given.pop("rewind", None), given.pop("resume", False)
        messages = self._messages[client, sub] = []

        async def handle(message: Message) -> None:
            n = len(messages)
            messages.append(message)
            waiting = self._waiting[client, sub, n] = asyncio.Event()
            write({"event": "message", "client": client, "sub": sub, "n": n, **message_of(message)})
            if behaviour == "fail":
                raise RuntimeError("The handler is to fail")
            if behaviour == "wait":
                await waiting.wait()

        subscription = await self._clients[client].subscribe(
            topic,
            handle,
            **given,
            rewind=datetime.fromtimestamp(rewind["since"] / 1000, timezone.utc) if isinstance(rewind, dict) else rewind,
            resume=resume["position"] if isinstance(resume, dict) else resume,
            on_gap=lambda gap: write(
                {"event": "gap", "client": client, "sub": sub, "reason": gap.reason, "after": gap.after, "before": gap.before}
            ),
            on_hydration=lambda hydration: write({"event": "hydration", "client": client, "sub": sub, "data": to_json(hydration.data)}),
        )
        self._subscriptions[client, sub] = subscription

        async def tell_end() -> None:
            if (error := await subscription.ended()) is not None:
                write({"event": "ended", "client": client, "sub": sub, "error": error_of(error)})

        self._keep(asyncio.ensure_future(tell_end()))

    async def unsubscribe(self, client: str, sub: str) -> None:
        if (client, sub) in self._counts:
            await self._counts[client, sub].stop()
            return
        await self._subscriptions[client, sub].unsubscribe()

    async def set_filters(self, client: str, topic: str, filters: Any) -> None:
        await self._clients[client].set_filters(topic, filters)

    async def position(self, client: str, sub: str) -> str | None:
        subscription = self._subscriptions[client, sub]
        return subscription.position if isinstance(subscription, roomwire.Subscription) else None

    async def publish(self, client: str, topic: str, data: Any = None, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        given = dict(options or {})
        if (at := given.pop("deliverAt", None)) is not None:
            given["deliver_at"] = datetime.fromtimestamp(at / 1000, timezone.utc)
        published = await self._clients[client].publish(topic, from_json(data), **given)
        return {"id": published.id, "duplicate": published.duplicate, "scheduledId": published.scheduled_id}

    async def history(self, client: str, topic: str, options: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        return [message_of(message) async for message in self._clients[client].history(topic, **(options or {}))]

    async def ack(self, client: str, sub: str, n: int) -> None:
        self._messages[client, sub][n].ack()

    async def nack(self, client: str, sub: str, n: int, delaySeconds: int = 0) -> None:  # noqa: N803
        self._job(client, sub, n).nack(delaySeconds)

    async def progress(self, client: str, sub: str, n: int) -> None:
        self._job(client, sub, n).progress()

    async def finish(self, client: str, sub: str, n: int) -> None:
        self._waiting[client, sub, n].set()

    def _job(self, client: str, sub: str, n: int) -> Job:
        job = self._messages[client, sub][n]
        assert isinstance(job, Job)
        return job

    async def enter(self, client: str, room: str, presence: Any = None, options: Mapping[str, Any] | None = None) -> None:
        self._rooms[client, room] = await self._clients[client].enter(room, from_json(presence), **(options or {}))

    async def leave(self, client: str, room: str) -> None:
        await self._clients[client].leave(room)
        self._rooms.pop((client, room), None)

    async def count(self, client: str, sub: str, room: str) -> None:
        def tell(present: int) -> None:
            write({"event": "count", "client": client, "sub": sub, "present": present})

        self._counts[client, sub] = await self._clients[client].count(room, tell)

    async def presence(self, client: str, room: str) -> list[dict[str, Any]]:
        return [entry_of(entry) for entry in await self._clients[client].presence(room)]

    async def track(self, room: str) -> None:
        """The list of a room that is entered is always kept."""

    async def members(self, client: str, room: str) -> list[dict[str, Any]]:
        entered = self._rooms.get((client, room))
        return [] if entered is None else [entry_of(entry) for entry in entered.members.values()]

    async def lobby(self, client: str, sub: str, lobby: str) -> None:
        def handle(event: roomwire.LobbyEvent) -> None:
            line = {"event": "lobby", "client": client, "sub": sub, "kind": event.event}
            if isinstance(event, roomwire.LobbySnapshot):
                write({**line, "presence": contents_of(event.presence)})
            else:
                presence = to_json(event.after.presence) if event.after else None
                write({**line, "roomId": event.room_id, "actorTokenId": event.actor_token_id, "presence": presence})

        self._subscriptions[client, sub] = await self._clients[client].lobby(lobby, handle)

    async def lobby_presence(self, client: str, lobby: str) -> dict[str, Any]:
        return contents_of(await self._clients[client].lobby_presence(lobby))

    async def close(self, client: str) -> None:
        await self._clients[client].close()


if __name__ == "__main__":
    asyncio.run(Adapter().run())
