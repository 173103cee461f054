"""The client of the REST API, for asyncio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from ...errors import RoomwireError
from ..address import api_address
from ..messages import Published, encoded, message_of, published_of, results_of
from ..types import NewMessage
from .live import Presence
from .resources import Actors, Apps, Grants, Messages, Revocations, Rooms, Scopes, SigningKeys
from .transport import Transport


class AsyncRestClient:
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
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`timeout` in seconds. `transport` is one of httpx, for proxies and certificates of your own."""
        http = httpx.AsyncClient(
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

    async def publish(
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
        """
        message = message_of(
            {
                "topic": topic,
                "id": id,
                "scope": scope,
                "as": as_actor,
                "filter": filter,
                "filters": None if filters is None else list(filters),
                "retain": retain,
                "qos": qos,
                "trigger": trigger,
                "data": data,
            }
        )
        result = await self._transport.request("POST", "publish", content=encoded(message), is_repeatable=True)
        return published_of(result)

    async def publish_many(self, messages: Sequence[NewMessage]) -> list[Published | RoomwireError]:
        """1 to 100 messages, in their order, each accepted or refused for itself: a refusal stands in the list and is not raised."""
        batch = [message_of(message) for message in messages]
        answer = await self._transport.request("POST", "publish", content=encoded({"messages": batch}), is_repeatable=True)
        return results_of(answer["results"], batch)

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncRestClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
