# Made by `scripts/make_sync.py` from the module of the same name in `asynchronous`: do not edit.
"""Requests and their answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from random import random
from typing import Any

import httpx

from ...errors import ConnectionError, RoomwireError
from ..errors import rest_error
from ..retries import MOST_RETRIES, wait_before_retry


class Transport:
    """Raises `RestError`, or a `ConnectionError` (`unreachable`, `request_timeout`)."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def request(
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

        What is repeatable, as reading is, is sent again up to three times: without an answer, while the server is away, and after 429; as
        soon as `Retry-After` allows, if that is within 10 s."""
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
        for retries in range(MOST_RETRIES if is_repeatable else 0):
            try:
                return self._send(request)
            except RoomwireError as error:
                wait = wait_before_retry(error, retries, random)
                if wait is None:
                    raise
            time.sleep(wait)
        return self._send(request)

    def close(self) -> None:
        self._http.close()

    def _send(self, request: httpx.Request) -> Any:
        try:
            response = self._http.send(request)
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


def headers_of(content: bytes | None) -> dict[str, str]:
    return {} if content is None else {"content-type": "application/msgpack"}
