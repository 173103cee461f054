from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from roomwire import ConnectionError, RoomwireError
from roomwire.rest import AsyncRestClient, Published, RestClient, RestError

from ..support.world import World

SCRIPTS = Path(__file__).parents[2] / "scripts"


def test_resources_are_made_changed_listed_and_deleted(world: World) -> None:
    rest, app_id, room_id = world.rest, world.app["appId"], world.room["roomId"]
    assert rest.apps.update(app_id, description="A demo")["description"] == "A demo"
    assert app_id in [app["appId"] for app in rest.apps.list(name="demo", limit=100)["data"]]
    names = [rest.rooms.ensure(app_id, name=f"room {n}")["name"] for n in range(3)]
    assert [room["name"] for room in rest.rooms.all(app_id)] == [*names[::-1], "lobby"]
    page = rest.rooms.list(app_id, limit=1)
    assert page["next"] is not None
    assert rest.rooms.list(app_id, cursor=page["next"])["data"][0]["name"] == "room 1"
    scope = rest.scopes.create(slug=f"tenant-{app_id[:8]}", name="Tenant")
    actor = rest.actors.create(name="bound", actorType="agent", accessScopeId=scope["accessScopeId"])
    assert rest.scopes.actors(scope["accessScopeId"])
    assert rest.actors.update(actor["actorTokenId"], status="disabled")["status"] == "disabled"
    assert any(found["name"] == "bound" for found in rest.actors.all())
    grant = rest.grants.create(app_id, room_id, actorType="user", permission="pubSub")
    assert rest.grants.list(app_id, room_id)["data"][0]["roomActorAccessId"] == grant["roomActorAccessId"]
    rest.grants.revoke(app_id, room_id, grant["roomActorAccessId"])
    key = rest.signing_keys.create(name="web")
    assert key["signingKey"].startswith(key["keyId"])
    assert rest.signing_keys.update(key["signingKeyId"], status="disabled")["status"] == "disabled"
    revocation = rest.revocations.create(subject=actor["actorTokenId"])
    assert revocation["revocationId"] in [found["revocationId"] for found in rest.revocations.list()["data"]]
    rest.signing_keys.delete(key["signingKeyId"])
    rest.actors.delete(actor["actorTokenId"])
    rest.scopes.delete(scope["accessScopeId"])
    rest.rooms.delete(app_id, room_id)
    rest.apps.delete(app_id)
    with pytest.raises(RestError) as gone:
        rest.apps.get(app_id)
    assert (gone.value.status, gone.value.error) == (404, "not_found")


async def test_a_backend_sees_who_is_there(world: World) -> None:
    rest, app_id, room_id = world.rest, world.app["appId"], world.room["roomId"]
    assert list(rest.presence.all(app_id, room_id)) == []
    async with world.client() as client:
        await client.subscribe(world.topic("lines"))
        await client.enter(f"{world.app['slug']}/lobby", {"name": "Ann"})
        page = rest.presence.list(app_id, room_id)
        assert [(present["presence"], page["next"]) for present in page["data"]] == [({"name": "Ann"}, None)]
        (lobby,) = rest.presence.occupancy(app_id, ["lobby", "nowhere"])
        assert (lobby["roomId"], lobby["present"]) == (room_id, 1)
        assert client.features >= {"rooms"}


def test_a_backend_publishes_for_later_and_cancels_it(world: World) -> None:
    topic = world.topic("lines")
    later = world.rest.publish_at(datetime.now(timezone.utc) + timedelta(days=1), topic, "never", id="reminder-1")
    assert later.id == "reminder-1"
    (waiting,) = world.rest.scheduled.list(topic=topic)["data"]
    assert (waiting["scheduledId"], waiting["id"], waiting["actorTokenId"]) == (later.scheduled_id, "reminder-1", None)
    world.rest.scheduled.cancel(later.scheduled_id)
    assert world.rest.scheduled.list(topic=topic)["data"] == []
    with pytest.raises(RestError) as gone:
        world.rest.scheduled.cancel(later.scheduled_id)
    assert gone.value.status == 404


async def test_a_backend_publishes_without_a_socket(world: World) -> None:
    topic = world.topic("lines")
    actor = world.actor()
    async with world.client() as listener, AsyncRestClient(world.program.url + "/v1/", world.program.api_key) as rest:
        messages = await listener.subscribe(topic, meta=True)
        published = await rest.publish(topic, {"n": b"\x00"}, id="reading-1", filter="eu")
        assert (published.id, published.duplicate) == ("reading-1", False)
        assert (await rest.publish(topic, {"n": b"\x00"}, id="reading-1")).duplicate
        message = await messages.__anext__()
        assert message.meta is not None
        assert (message.data, message.filter, message.meta.sender) == ({"n": b"\x00"}, "eu", None)
        await rest.publish(topic, 2, as_actor=actor["keyId"])
        message = await messages.__anext__()
        assert message.meta is not None
        assert message.meta.sender == actor["actorTokenId"]


def test_a_batch_tells_each_message_apart(world: World) -> None:
    accepted, unknown = world.rest.publish_many([{"topic": world.topic("kept"), "data": 1}, {"topic": world.topic("nothing"), "data": 2}])
    assert isinstance(accepted, Published)
    assert accepted.position
    assert isinstance(unknown, RoomwireError)
    assert (unknown.error, unknown.code, unknown.topic) == ("unknown_topic", 42940, world.topic("nothing"))
    history = world.rest.messages.list(world.app["appId"], world.room["roomId"], "kept")
    assert [(message["data"], message["actorTokenId"]) for message in history["data"]] == [(1, None)]
    world.rest.messages.delete(world.app["appId"], world.room["roomId"], "kept")
    assert world.rest.messages.list(world.app["appId"], world.room["roomId"], "kept")["data"] == []


def test_refusals_have_the_shape_of_the_api(world: World) -> None:
    with pytest.raises(RestError) as invalid:
        world.rest.rooms.create(world.app["appId"], name="")
    assert (invalid.value.status, invalid.value.error) == (400, "validation_failed")
    assert invalid.value.problems
    with pytest.raises(RestError) as unknown:
        world.rest.publish(world.topic("nothing"), 1)
    assert (unknown.value.status, unknown.value.error, unknown.value.code) == (404, "unknown_topic", 42940)
    with RestClient(world.program.url, "ak_live_0123.wrong") as other, pytest.raises(RestError, match="API key") as refused:
        other.apps.list()
    assert (refused.value.status, refused.value.error) == (401, "unauthorized")
    assert refused.value.request_id
    with RestClient("http://127.0.0.1:9", "ak_live_1.a") as away, pytest.raises(ConnectionError, match="could not be reached"):
        away.apps.create(name="demo")


def test_the_types_are_those_that_the_server_describes(world: World) -> None:
    command = [sys.executable, str(SCRIPTS / "make_types.py"), f"{world.program.url}/v1/openapi.json", "--check"]
    check = subprocess.run(command, capture_output=True, text=True, check=False)
    assert check.returncode == 0, f"{check.stderr}\nRun scripts/make_types.py"


def test_the_synchronous_client_is_made_from_the_other() -> None:
    check = subprocess.run([sys.executable, str(SCRIPTS / "make_sync.py"), "--check"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stderr
