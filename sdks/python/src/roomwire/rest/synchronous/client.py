# Made by `scripts/make_sync.py` from the module of the same name in `asynchronous`: do not edit.
"""The client of the REST API, for synchronous code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import httpx

from ...errors import RoomwireError
from ..address import api_address
from ..messages import Published, Scheduled, accepted_of, encoded, message_of, results_of
from ..types import NewMessage
from .dead_letters import DeadLetters
from .live import JobGroups, Presence, ScheduledPublishes
from .resources import Actors, Apps, Grants, Messages, Revocations, Rooms, Scopes, SigningKeys
from .transport import Transport


class RestClient:
    """What an API key may do: manage apps, rooms, grants, scopes, actors, signing keys and revocations, see who is there, and publish.

    `url` is that of the server, or of its gateway; anything else raises `ValueError`. Every call raises `RestError` (`status`,
    `error`, `problems`), or a `ConnectionError` (`unreachable`, `request_timeout`). What may be sent again is, up to two times, while
    the server is away.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`timeout` in seconds. `transport` is one of httpx, for proxies and certificates of your own."""
        http = httpx.Client(
            base_url=api_address(url),
            headers={"authorization": f"Bearer {api_key}", **(headers or {})},
            timeout=timeout,
            transport=transport,
        )
        self._transport = Transport(http)
        self.apps = Apps(self._transport)
        self.rooms = Rooms(self._transport)
        self.grants = Grants(self._transport)
        self.scopes = Scopes(self._transport)
        self.actors = Actors(self._transport)
        self.signing_keys = SigningKeys(self._transport)
        self.revocations = Revocations(self._transport)
        self.messages = Messages(self._transport)
        self.presence = Presence(self._transport)
        self.scheduled = ScheduledPublishes(self._transport)
        self.groups = JobGroups(self._transport)
        self.dead_letters = DeadLetters(self._transport)

    def publish(
        self,
        topic: str,
        data: Any,
        *,
        id: str | None = None,  # noqa: A002
        scope: str | None = None,
        as_actor: str | None = None,
        filter: str | None = None,  # noqa: A002
        filters: Sequence[str] | None = None,
        retain: bool | None = None,
        qos: int | None = None,
        trigger: bool | None = None,
    ) -> Published:
        """Publishes `data`, anything that MessagePack can express, as the backend or, with the `actorTokenId` or the `keyId` of an actor
        in `as_actor`, as that.

        Each message has an `id`, a random one by default, so that one without an answer is sent again and delivered once. Raises, besides
        what every call does: `unknown_topic`, `unknown_actor`, `unknown_scope` (42940), `message_too_large`, `rate_limit_exceeded`,
        `monthly_quota_exceeded` (with `retry_after` in seconds), `publish_conflict`, `invalid_data`, `invalid_id`.
        A duplicate is what the first was: `Scheduled`, if that was published for later.
        """
        fields = message_fields(topic, data, id, scope, as_actor, filter, filters, retain, qos, trigger)
        return cast(Published, accepted_of(self._publish(message_of(fields))))

    def publish_at(
        self,
        deliver_at: datetime,
        topic: str,
        data: Any,
        *,
        id: str | None = None,  # noqa: A002
        scope: str | None = None,
        as_actor: str | None = None,
        filter: str | None = None,  # noqa: A002
        filters: Sequence[str] | None = None,
        retain: bool | None = None,
        qos: int | None = None,
        trigger: bool | None = None,
    ) -> Scheduled:
        """`publish` at a time, which needs a time zone and is at most 30 days ahead; one that is past is now. A service that is too old for
        it refuses it (`RestError` of status 400), and publishes nothing. A duplicate is `Published`, if the first was published at once."""
        fields = message_fields(topic, data, id, scope, as_actor, filter, filters, retain, qos, trigger)
        message = message_of({"deliverAt": deliver_at.isoformat(), **fields})
        return cast(Scheduled, accepted_of(self._publish(message)))

    def _publish(self, message: NewMessage) -> Any:
        return self._transport.request("POST", "publish", content=encoded(message), is_repeatable=True)

    def publish_many(self, messages: Sequence[NewMessage]) -> list[Published | Scheduled | RoomwireError]:
        """1 to 100 messages, in their order, each accepted or refused for itself: a refusal stands in the list and is not raised."""
        batch = [message_of(message) for message in messages]
        answer = self._transport.request("POST", "publish", content=encoded({"messages": batch}), is_repeatable=True)
        return results_of(answer["results"], batch)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> RestClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def message_fields(
    topic: str,
    data: Any,
    id_: str | None,
    scope: str | None,
    as_actor: str | None,
    filter_: str | None,
    filters: Sequence[str] | None,
    retain: bool | None,
    qos: int | None,
    trigger: bool | None,
) -> dict[str, Any]:
    return {
        "topic": topic,
        "id": id_,
        "scope": scope,
        "as": as_actor,
        "filter": filter_,
        "filters": None if filters is None else list(filters),
        "retain": retain,
        "qos": qos,
        "trigger": trigger,
        "data": data,
    }
