"""What the REST API refuses, in the shapes that it has for that."""

from __future__ import annotations

from typing import Any

import httpx

from ..errors import RoomwireError

NAMES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "too_large",
    429: "rate_limit_exceeded",
    503: "unavailable",
}

HELP = {
    401: "Look at the API key: is it that of a project of this server (ak_live_…), and not revoked",
}


class RestError(RoomwireError):
    """`error` is the protocol's name for a publish, `validation_failed`, or a name for the status."""

    def __init__(
        self,
        error: str,
        *,
        status: int,
        message: str,
        problems: list[Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        code: int | None = None,
        hint: str | None = None,
        max_size_bytes: int | None = None,
    ) -> None:
        self.status = status
        """Of HTTP."""
        self.problems = problems or []
        """What is wrong with the fields, with `validation_failed`."""
        self.request_id = request_id
        """For the server's log."""
        self.retry_after = retry_after
        """Seconds, where the server says so."""
        super().__init__(error, message=message, code=code, hint=hint, max_size_bytes=max_size_bytes, help=HELP.get(status))


def rest_error(response: httpx.Response) -> RestError:
    body = body_of(response)
    message = body.get("message")
    problems = body.get("errors") if isinstance(body.get("errors"), list) else None
    name = body.get("error") if "statusCode" not in body else None
    if problems is not None:
        name = "validation_failed"
    elif not isinstance(name, str):
        name = NAMES.get(response.status_code, "http_error")
    text = message if isinstance(message, str) else name
    return RestError(
        name.split(" (", 1)[0],
        status=response.status_code,
        message=f"HTTP {response.status_code}: {text}{described(problems)}",
        problems=problems,
        request_id=response.headers.get("x-request-id"),
        retry_after=retry_after(response),
        code=body.get("code"),
        hint=body.get("hint"),
        max_size_bytes=body.get("maxSizeBytes"),
    )


def body_of(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def described(problems: list[Any] | None) -> str:
    return f": {problems}" if problems else ""


def retry_after(response: httpx.Response) -> float | None:
    seconds: str = response.headers.get("retry-after", "")
    # A date, which proxies may send, is passed over.
    return float(seconds) if seconds.isdecimal() else None
