from __future__ import annotations

import asyncio
from typing import Any

import pytest

from roomwire import Client, Room, RoomwireError

from ..support.scripted_server import Peer, ScriptedServer

FEATURES = ["rooms"]


def entry(actor: str) -> dict[str, Any]:
    return {"actorTokenId": actor, "presence": {}, "joinedAt": 1}


async def confirm(peer: Peer) -> dict[str, Any]:
    frame = await peer.expect("presence")
    assert await peer.expect("getPresence") == {"type": "getPresence"}
    peer.send("presenceList", data=[])
    return frame


async def list_room(peer: Peer, room: str, *actors: str) -> None:
    assert await peer.expect("getPresence") == {"type": "getPresence", "roomId": room}
    peer.send("presenceList", roomId=room, data=[entry(actor) for actor in actors])
    await peer.settle()


async def entered(client: Client, peer: Peer, room: str, keep: bool, *actors: str) -> Room:
    entering = asyncio.ensure_future(client.enter(room, {"in": room}, keep=keep))
    assert (await confirm(peer)).get("keep", False) is keep
    await list_room(peer, room, *actors)
    return await entering


def joins(peer: Peer, actor: str, room: str | None = None) -> None:
    where = {} if room is None else {"roomId": room}
    peer.send("presence", event="join", data={"actor_token_id": actor, "presence": {}}, **where)


async def test_several_rooms_each_have_their_members_and_are_left_one_by_one() -> None:
    server = ScriptedServer()
    seen: list[tuple[str, str]] = []
    async with server.session() as (client, peer):
        peer.close()
        peer = await server.connected(features=FEATURES)
        client.on("presence", lambda change: seen.append((change.room_id, change.actor_token_id)))
        den = await entered(client, peer, "den", False, "me", "ann")
        yard = await entered(client, peer, "yard", True, "me")
        joins(peer, "ben", "yard")
        joins(peer, "cat")
        await peer.settle()
        assert seen == [("yard", "ben"), ("den", "cat")]
        assert (set(den.members), set(yard.members)) == ({"me", "ann", "cat"}, {"me", "ben"})
        stream = den.changes()
        leaving = asyncio.ensure_future(den.leave())
        assert await confirm(peer) == {"type": "presence", "roomId": "den", "leave": True}
        await leaving
        assert [change async for change in stream] == []
        joins(peer, "dan")
        await peer.settle()
        assert "dan" in yard.members


async def test_all_rooms_are_entered_again_and_none_leaves_another() -> None:
    server = ScriptedServer()
    errors: list[str] = []
    async with server.session() as (client, peer):
        client.on("error", lambda error: errors.append(f"{error.error} {error.topic}"))
        peer.close()
        peer = await server.connected(features=FEATURES)
        rooms = [await entered(client, peer, name, index > 0, "me") for index, name in enumerate(["den", "yard", "hall"])]
        peer.close()
        peer = await server.connected(features=FEATURES)
        for room in rooms:
            frame = await peer.expect("presence")
            assert frame == {"type": "presence", "roomId": room.room_id, "data": {"in": room.room_id}, "keep": True}
            await peer.expect("getPresence")
        for room in rooms:
            if room.room_id == "yard":
                peer.send("error", error="unknown_topic", code=42940, topic="yard")
            peer.send("presenceList", data=[])
        await list_room(peer, "den", "me", "ben")
        await list_room(peer, "hall", "me")
        assert errors == ["unknown_topic yard"]
        assert set(rooms[0].members) == {"me", "ben"}

        entering = asyncio.ensure_future(client.enter("cave"))
        assert await confirm(peer) == {"type": "presence", "roomId": "cave", "data": {}}
        await list_room(peer, "cave", "me")
        await entering
        assert [change async for change in rooms[0].changes()] == []
        peer.close()
        peer = await server.connected(features=FEATURES)
        assert await confirm(peer) == {"type": "presence", "roomId": "cave", "data": {}}
        await list_room(peer, "cave", "me")


async def test_the_bound_on_rooms_is_raised_with_the_room() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        peer.close()
        peer = await server.connected(features=FEATURES)
        entering = asyncio.ensure_future(client.enter("yard", keep=True))
        await peer.expect("presence")
        await peer.expect("getPresence")
        peer.send("error", error="subscription_limit", code=42970, roomId="yard")
        peer.send("presenceList", data=[])
        with pytest.raises(RoomwireError) as refused:
            await entering
        assert (refused.value.error, refused.value.topic) == ("subscription_limit", "yard")
        peer.close()
        await (await server.connected(features=FEATURES)).expect_silence()


async def test_a_count_is_told_kept_over_reconnects_and_ended() -> None:
    server = ScriptedServer()
    counts: list[int] = []
    async with server.session() as (client, peer):
        peer.close()
        peer = await server.connected(features=FEATURES)
        counting = asyncio.ensure_future(client.count("den", counts.append))
        assert await peer.expect("presence") == {"type": "presence", "roomId": "den", "mode": "count"}
        peer.send("presenceCount", roomId="den", present=3)
        count = await counting
        assert count.present == 3
        with pytest.raises(RoomwireError) as conflict:
            await client.count("den")
        assert conflict.value.error == "subscription_conflict"
        peer.close()
        peer = await server.connected(features=FEATURES)
        await peer.expect("presence")
        peer.send("presenceCount", roomId="den", present=9)
        await peer.settle()
        assert counts == [3, 9]

        room = await entered(client, peer, "den", True, "me")
        stopping = asyncio.ensure_future(count.stop())
        assert (await peer.expect("presence"))["leave"] is True
        assert await confirm(peer) == {"type": "presence", "roomId": "den", "data": {"in": "den"}, "keep": True}
        await list_room(peer, "den", "me", "ann")
        await stopping
        assert set(room.members) == {"me", "ann"}
        peer.send("presenceCount", roomId="den", present=10)
        await peer.settle()
        assert counts == [3, 9]


async def test_an_older_server_is_not_asked() -> None:
    server = ScriptedServer()
    async with server.session() as (client, peer):
        for wrong in (client.enter("den", keep=True), client.leave("den"), client.count("den")):
            with pytest.raises(RoomwireError) as refused:
                await wrong
            assert refused.value.error == "unsupported_feature"
        await peer.expect_silence()
