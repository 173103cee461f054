"""Requests and their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from random import random
from typing import Any

import httpx

from ...errors import ConnectionError
from ..errors import RestError, rest_error

RETRY_WAITS = (0.2, 1.0)
"""Seconds before what may be sent again is sent again, at most."""
AWAY = (502, 503, 504)


class Transport:
    """Raises `RestError`, or a `ConnectionError` (`unreachable`, `request_timeout`)."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        content: bytes | None = None,
        is_repeatable: bool | None = None,
        timeout: float | None = None,
    ) -> Any:
        """The decoded answer; None where there is none. `timeout` is for an answer that takes longer than others.

        What is repeatable, as reading is, is sent up to three times while the server is away."""
        if is_repeatable is None:
            is_repeatable = method == "GET"
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        request = self._http.build_request(
            method,
            path,
            params=parameters,
            json=json,
            content=content,
            headers=headers_of(content),
            timeout=httpx.USE_CLIENT_DEFAULT if timeout is None else timeout,
        )
        for wait in RETRY_WAITS if is_repeatable else ():
            try:
                return await self._send(request)
            except ConnectionError:
                await asyncio.sleep(spread(wait))
            except RestError as error:
                if error.status not in AWAY:
                    raise
                await asyncio.sleep(spread(wait))
        return await self._send(request)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _send(self, request: httpx.Request) -> Any:
        try:
            response = await self._http.send(request)
        except httpx.TimeoutException as cause:
            raise ConnectionError("request_timeout") from cause
        except httpx.TransportError as cause:
            raise ConnectionError("unreachable", message=f"The server could not be reached: {cause}") from cause
        if not response.is_success:
            raise rest_error(response)
        try:
            return response.json() if response.content else None
        except ValueError as cause:
            # Something else has answered in place of the service.
            raise rest_error(response) from cause


def spread(wait: float) -> float:
    """So that many backends do not come back at once."""
    return wait * (1 - random() / 2)


def headers_of(content: bytes | None) -> dict[str, str]:
    return {} if content is None else {"content-type": "application/msgpack"}
