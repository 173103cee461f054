from __future__ import annotations

import asyncio
from typing import Any

import pytest

from roomwire import Client, LobbySnapshot, PresenceChange, Room, RoomwireError

from ..support.scripted_server import Peer, ScriptedServer


def entry(actor: str, presence: dict[str, Any] | None = None, joined_at: int = 1) -> dict[str, Any]:
    return {"actorTokenId": actor, "presence": presence or {}, "joinedAt": joined_at}


async def answer_enter(peer: Peer, *entries: dict[str, Any], room: str = "lobby") -> dict[str, Any]:
    frame = await peer.expect("presence")
    assert (await peer.expect("getPresence")) == {"type": "getPresence"}
    peer.send("presenceList", data=[])
    assert (await peer.expect("getPresence"))["roomId"] == room
    peer.send("presenceList", roomId=room, data=list(entries))
    await peer.settle()
    return frame


async def entered(client: Client, peer: Peer, *entries: dict[str, Any], room: str = "lobby", **presence: Any) -> Room:
    entering = asyncio.ensure_future(client.enter(room, presence))
    assert (await answer_enter(peer, *entries, room=room))["data"] == presence
    return await entering


def event(peer: Peer, kind: str, actor: str, presence: dict[str, Any] | None = None) -> None:
    data: dict[str, Any] = {"actor_token_id": actor}
    peer.send("presence", event=kind, data=data if presence is None else {**data, "presence": presence})


def told(change: PresenceChange) -> tuple[Any, ...]:
    before = None if change.before is None else dict(change.before.presence)
    after = None if change.after is None else dict(change.after.presence)
    return change.event, change.actor_token_id, before, after


async def test_the_list_of_a_room_is_kept_true() -> None:
    server = ScriptedServer()
    changes: list[tuple[Any, ...]] = []
    async with server.session() as (client, peer):
        members: list[tuple[str, str]] = []
        client.on("presence", lambda change: changes.append(told(change)))
        client.on("member", lambda change: members.append((change.event, change.actor_token_id)))
        room = await entered(client, peer, entry("me", {"name": "Ann"}), entry("ben"), name="Ann")
        assert set(room.members) == {"me", "ben"}
        event(peer, "join", "cid", {"name": "Cid"})
        event(peer, "update", "cid", {"name": "C"})
        event(peer, "leave", "ben")
        event(peer, "leave", "ghost")
        await peer.settle()
        assert {actor: dict(member.presence) for actor, member in room.members.items()} == {"me": {"name": "Ann"}, "cid": {"name": "C"}}
        assert changes == [
            ("join", "cid", None, {"name": "Cid"}),
            ("update", "cid", {"name": "Cid"}, {"name": "C"}),
            ("leave", "ben", {}, None),
        ]
        assert members == [("join", "me"), ("join", "ben"), ("join", "cid"), ("update", "cid"), ("leave", "ben")]


async def test_what_has_changed_meanwhile_is_found_after_a_reconnect() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        room = await entered(client, peer, entry("me"), entry("ben"), entry("cid"))
        stream = room.changes()
        peer.close()
        peer = await server.connected()
        frame = await answer_enter(peer, entry("me"), entry("cid", {"a": 1}), entry("dan"))
        assert frame["roomId"] == "lobby"
        assert [told(await stream.__anext__()) for _ in range(3)] == [
            ("leave", "ben", {}, None),
            ("join", "dan", None, {}),
            ("update", "cid", {}, {"a": 1}),
        ]
        event(peer, "leave", "dan")
        assert (await stream.__anext__()).event == "leave"
        await stream.aclose()


async def test_events_in_front_of_the_list_are_in_the_list() -> None:
    server = ScriptedServer()
    changes: list[object] = []
    async with server.session() as (client, peer):
        client.on("presence", changes.append)
        entering = asyncio.ensure_future(client.enter("lobby"))
        await peer.expect("presence")
        await peer.expect("getPresence")
        peer.send("presenceList", data=[])
        event(peer, "join", "ben", {})
        await peer.expect("getPresence")
        peer.send("presenceList", roomId="lobby", data=[entry("me"), entry("ben")])
        event(peer, "leave", "ben")
        room = await entering
        await peer.settle()
        assert set(room.members) == {"me"}
        assert [change.event for change in changes] == ["leave"]  # type: ignore[attr-defined]


async def test_another_presence_keeps_the_room_and_another_room_ends_it() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        room = await entered(client, peer, entry("me"))
        stream = room.changes()
        assert await entered(client, peer, entry("me", {"name": "A"}), name="A") is room
        assert dict(room.members["me"].presence) == {"name": "A"}
        other = await entered(client, peer, entry("me"), room="garden")
        assert other.room_id == "garden"
        assert [change async for change in stream] == []


async def test_a_room_that_is_refused_is_raised_and_is_not_entered_again() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        entering = asyncio.ensure_future(client.enter("cellar"))
        await peer.expect("presence")
        peer.send("error", error="unknown_topic", code=42940, topic="cellar")
        peer.send("presenceList", data=[])
        with pytest.raises(RoomwireError) as refused:
            await entering
        assert refused.value.error == "unknown_topic"
        peer.close()
        peer = await server.connected()
        await peer.expect_silence()


async def test_access_that_was_lost_meanwhile_is_an_error_event() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with server.session() as (client, peer):
        client.on("error", lambda error: errors.append(error.error))
        room = await entered(client, peer, entry("me"))
        peer.close()
        peer = await server.connected()
        await peer.expect("presence")
        peer.send("error", error="unknown_topic", topic="lobby")
        await peer.settle()
        assert errors == ["unknown_topic"]
        assert [change async for change in room.changes()] == []


async def test_presence_asks_without_entering() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        asking = asyncio.ensure_future(client.presence("lobby"))
        await peer.expect("getPresence")
        peer.send("presenceList", roomId="lobby", data=[entry("ben", {"name": "Ben"}, 7)])
        (ben,) = await asking
        assert (ben.actor_token_id, dict(ben.presence), ben.joined_at) == ("ben", {"name": "Ben"}, 7)


async def test_a_lobby_is_kept_true_and_begins_with_a_snapshot_after_every_reconnect() -> None:
    server = ScriptedServer()
    seen: list[str] = []
    async with server.session() as (client, peer):
        watching = asyncio.ensure_future(client.lobby("chat-1a2b", lambda event: seen.append(event.event)))
        await peer.expect("lobbySubscribe")
        peer.send("lobbySubscribed", lobbyId="chat-1a2b", presence={"kitchen": {"ann": entry("ann")}})
        peer.send("lobbyPresence", event="join", lobbyId="chat-1a2b", roomId="garden", actorId="ben", data={"n": 1})
        peer.send("lobbyPresence", event="leave", lobbyId="chat-1a2b", roomId="kitchen", actorId="ann", data={})
        lobby = await watching
        await peer.settle()
        assert seen == ["snapshot", "join", "leave"]
        assert {room: set(actors) for room, actors in lobby.presence.items()} == {"garden": {"ben"}}
        events = lobby.events()
        peer.close()
        peer = await server.connected()
        await peer.expect("lobbySubscribe")
        peer.send("lobbySubscribed", lobbyId="chat-1a2b", presence={})
        assert isinstance(await events.__anext__(), LobbySnapshot)
        leaving = asyncio.ensure_future(lobby.unsubscribe())
        await peer.expect("lobbyUnsubscribe")
        peer.send("lobbyUnsubscribed", lobbyId="chat-1a2b")
        await leaving
        assert [event async for event in events] == []


async def test_a_lobby_begins_with_its_snapshot_also_while_a_former_watch_of_it_has_not_ended() -> None:
    server = ScriptedServer()
    seen: list[str] = []
    async with server.session() as (client, peer):
        watching = asyncio.ensure_future(client.lobby("staff"))
        await peer.expect("lobbySubscribe")
        peer.send("lobbySubscribed", lobbyId="staff", presence={})
        leaving = asyncio.ensure_future((await watching).unsubscribe())
        await peer.expect("lobbyUnsubscribe")
        again = asyncio.ensure_future(client.lobby("staff", lambda event: seen.append(event.event)))
        await peer.expect("lobbySubscribe")
        peer.send("lobbyPresence", event="join", lobbyId="staff", roomId="a", actorId="ben", data={})
        peer.send("lobbyUnsubscribed", lobbyId="staff")
        peer.send("lobbySubscribed", lobbyId="staff", presence={"a": {"ben": entry("ben")}})
        await again
        await leaving
        assert seen == ["snapshot"]


async def test_a_lobby_that_is_refused_may_be_asked_for_again() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        for _ in range(2):
            watching = asyncio.ensure_future(client.lobby("staff"))
            await peer.expect("lobbySubscribe")
            with pytest.raises(RoomwireError) as conflict:
                await client.lobby("staff")
            assert conflict.value.error == "subscription_conflict"
            peer.send("error", error="not_authorized", lobbyId="staff")
            with pytest.raises(RoomwireError, match="staff") as refused:
                await watching
            assert refused.value.error == "not_authorized"
        asking = asyncio.ensure_future(client.lobby_presence("staff"))
        await peer.expect("getLobbyPresence")
        peer.send("lobbyPresenceList", lobbyId="staff", presence={"a": {"ann": entry("ann")}})
        assert (await asking)["a"]["ann"].joined_at == 1
