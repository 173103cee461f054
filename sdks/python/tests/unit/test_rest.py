from __future__ import annotations

from datetime import datetime, timezone

import httpx
import msgpack
import pytest

from roomwire import ConnectionError, RoomwireError
from roomwire.rest import Published, RestClient, RestError, Scheduled
from roomwire.rest.address import api_address


def answering(*answers: httpx.Response | Exception) -> tuple[httpx.MockTransport, list[bytes]]:
    bodies: list[bytes] = []
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        one = left.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    return httpx.MockTransport(answer), bodies


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """In seconds, in place of which no time passes."""
    waited: list[float] = []
    monkeypatch.setattr("roomwire.rest.synchronous.transport.time.sleep", waited.append)
    monkeypatch.setattr("roomwire.rest.synchronous.transport.random", lambda: 0.5)
    return waited


ACCEPTED = {"id": "m-1", "at": "2026-01-01T00:00:00.000Z"}


def test_a_publish_without_an_answer_is_sent_again_with_the_same_id() -> None:
    transport, bodies = answering(
        httpx.ReadTimeout("late"), httpx.Response(503, json={"statusCode": 503, "message": "Away"}), httpx.Response(200, json=ACCEPTED)
    )
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest:
        assert rest.publish("a/b/c", 1).id == "m-1"
    assert len(bodies) == 3
    assert len(set(bodies)) == 1


def test_what_is_sent_again_waits_longer_each_time_and_by_chance(waits: list[float]) -> None:
    transport, _ = answering(httpx.ReadTimeout("late"), httpx.Response(502), httpx.Response(504), httpx.Response(200, json=ACCEPTED))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest:
        rest.publish("a/b/c", 1)
    assert waits == pytest.approx([0.1875, 0.375, 0.75])


def test_what_is_refused_for_now_is_sent_again_when_the_server_says_so(waits: list[float]) -> None:
    refusal = httpx.Response(429, json={"error": "rate_limit_exceeded", "code": 42910}, headers={"retry-after": "2"})
    transport, bodies = answering(refusal, httpx.Response(200, json=ACCEPTED))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest:
        assert rest.publish("a/b/c", 1).id == "m-1"
    assert len(bodies) == 2
    assert waits == pytest.approx([2.125])


def test_what_is_refused_for_longer_is_told_at_once(waits: list[float]) -> None:
    refusal = httpx.Response(429, json={"error": "monthly_quota_exceeded"}, headers={"retry-after": "86400"})
    transport, bodies = answering(refusal)
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest, pytest.raises(RestError) as refused:
        rest.publish("a/b/c", 1)
    assert (refused.value.error, refused.value.retry_after) == ("monthly_quota_exceeded", 86400.0)
    assert (len(bodies), waits) == (1, [])


def test_what_is_refused_again_and_again_is_told_in_the_end(waits: list[float]) -> None:
    refusals = [httpx.Response(429, json={"error": "rate_limit_exceeded"}, headers={"retry-after": "0"}) for _ in range(4)]
    transport, bodies = answering(*refusals)
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest, pytest.raises(RestError) as refused:
        rest.publish("a/b/c", 1)
    assert refused.value.error == "rate_limit_exceeded"
    assert (len(bodies), len(waits)) == (4, 3)


def test_a_date_as_retry_after_is_passed_over(waits: list[float]) -> None:
    away = httpx.Response(503, headers={"retry-after": "Fri, 27 Nov 2026 12:00:00 GMT"})
    transport, _ = answering(away, httpx.Response(200, json=ACCEPTED))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest:
        rest.publish("a/b/c", 1)
    assert waits == pytest.approx([0.1875])


def test_what_makes_something_is_sent_once() -> None:
    transport, bodies = answering(httpx.ConnectError("refused"))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest, pytest.raises(ConnectionError) as failed:
        rest.apps.create(name="demo")
    assert failed.value.error == "unreachable"
    assert len(bodies) == 1


def test_a_refusal_is_not_sent_again() -> None:
    transport, bodies = answering(httpx.Response(400, json={"error": "unknown_topic", "code": 42940}))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest, pytest.raises(RestError) as refused:
        rest.publish("a/b/c", 1)
    assert (refused.value.error, refused.value.code) == ("unknown_topic", 42940)
    assert len(bodies) == 1


def test_what_is_no_json_is_told_by_its_status() -> None:
    transport, _ = answering(httpx.Response(404, text="<html>"))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest, pytest.raises(RestError) as refused:
        rest.actors.get("x")
    assert (refused.value.error, refused.value.status) == ("not_found", 404)


def test_what_something_else_has_answered_is_no_result() -> None:
    transport, bodies = answering(httpx.Response(200, text="<!doctype html>"))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest, pytest.raises(RestError) as failed:
        rest.publish("a/b/c", 1)
    assert failed.value.status == 200
    assert len(bodies) == 1


def test_dead_letters_are_filtered_and_a_redrive_may_be_waited_for() -> None:
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={"data": [], "delivered": True, "responseStatus": 204, "error": None})

    with RestClient("http://test", "session", transport=httpx.MockTransport(answer), timeout=5.0) as rest:
        assert rest.dead_letters.list("o-1", kind="job", since=datetime(2026, 1, 1, tzinfo=timezone.utc))["data"] == []
        assert rest.dead_letters.redrive_and_wait("o-1", "d-1")["delivered"]
    listing, redrive = requests
    assert dict(listing.url.params) == {"kind": "job", "from": "2026-01-01T00:00:00+00:00"}
    assert str(redrive.url) == "http://test/v1/organizations/o-1/webhook-dlq/d-1/redrive?wait=true"
    assert redrive.extensions["timeout"]["read"] == 40.0


def test_bad_data_and_ids_are_refused_at_once() -> None:
    transport, bodies = answering()
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest:
        with pytest.raises(RoomwireError, match="MessagePack"):
            rest.publish("a/b/c", object())
        with pytest.raises(RoomwireError, match="An id has"):
            rest.publish("a/b/c", 1, id="with space")
    assert bodies == []


def test_the_address_is_that_of_the_service_or_of_its_gateway() -> None:
    assert api_address("http://example.com:8080") == "http://example.com:8080/v1/"
    assert api_address("https://example.com/base/v1") == "https://example.com/base/v1/"
    assert api_address("ws://example.com:8080/ws") == "http://example.com:8080/v1/"
    assert api_address("wss://example.com/base/ws/") == "https://example.com/base/v1/"
    for wrong in ("", "localhost:8080", "/ws", "ftp://example.com"):
        with pytest.raises(ValueError, match=r"like http://127\.0\.0\.1:8080; it is"):
            RestClient(wrong, "ak_live_1.a")


def test_a_duplicate_is_what_the_first_with_its_id_was() -> None:
    scheduled = {"id": "m-1", "scheduledId": "s-1", "deliverAt": "2030-01-01T00:00:00.000Z", "duplicate": True}
    published = {**ACCEPTED, "duplicate": True}
    transport, _ = answering(httpx.Response(200, json=scheduled), httpx.Response(200, json=published))
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest:
        assert isinstance(rest.publish("a/b/c", 1, id="m-1"), Scheduled)
        assert isinstance(rest.publish_at(datetime(2030, 1, 1, tzinfo=timezone.utc), "a/b/c", 1, id="m-1"), Published)


def test_a_message_for_later_says_when_and_what_it_is_cancelled_by() -> None:
    scheduled = {"id": "m-1", "scheduledId": "s-1", "deliverAt": "2030-01-01T00:00:00.000Z"}
    transport, bodies = answering(httpx.Response(200, json=scheduled), httpx.Response(200, json={"results": [scheduled, ACCEPTED]}))
    at = datetime(2030, 1, 1, tzinfo=timezone.utc)
    with RestClient("http://test", "ak_live_1.a", transport=transport) as rest:
        later = rest.publish_at(at, "a/b/c", 1, id="m-1")
        assert (later.scheduled_id, later.deliver_at) == ("s-1", "2030-01-01T00:00:00.000Z")
        first, second = rest.publish_many([{"topic": "a/b/c", "data": 1, "deliverAt": at.isoformat()}, {"topic": "a/b/c", "data": 2}])
        assert isinstance(first, Scheduled)
        assert isinstance(second, Published)
    assert msgpack.unpackb(bodies[0])["deliverAt"] == "2030-01-01T00:00:00+00:00"
