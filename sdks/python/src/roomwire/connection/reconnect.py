"""Whether to connect again, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..errors import AuthenticationError, ConnectionError, RoomwireError
from ..options import Backoff


@dataclass(frozen=True)
class Retry:
    pace: Literal["usual", "soon", "patient"]
    """`usual`: may be over at once. `soon`: is over at once for most, so the first attempts after a working connection are spread.
    `patient`: is not over soon, or the server has asked for patience."""
    token_refused: bool = False
    """The token is spent: another attempt makes sense with another token only."""


USUAL = Retry("usual")
PATIENT = Retry("patient")

OTHER_TOKEN = Retry("patient", token_refused=True)

BY_CLOSE_CODE = {
    1012: Retry("soon"),
    # The frames of the client, or its slowness, or a limit of the server: coming back at once meets the same.
    **dict.fromkeys((1007, 1008, 1009, 1013, 4002), PATIENT),
    4001: OTHER_TOKEN,
    4003: Retry("soon", token_refused=True),
}
"""Others are network trouble (1006, 1001, 4000, …)."""

KICKED = (4001, "kicked")
"""Somebody closed the connection by hand: it may come back, with the same token, and not at once."""

BY_AUTHENTICATION_FAILURE = {
    **dict.fromkeys(("access_denied", "api_key_as_token", "malformed_token", "token_without_kid"), OTHER_TOKEN),
    "token_expired": Retry("soon", token_refused=True),
    "connection_limit_reached": PATIENT,
}
"""Others are on the side of the server, and may pass at once."""


def retry_of(error: RoomwireError) -> Retry | None:
    """None where no other attempt makes sense."""
    if error.error == "unsupported_protocol":
        return None
    if isinstance(error, AuthenticationError):
        return BY_AUTHENTICATION_FAILURE.get(error.error, USUAL)
    if isinstance(error, ConnectionError) and (error.close_code, error.close_reason) == KICKED:
        return PATIENT
    if isinstance(error, ConnectionError):
        return BY_CLOSE_CODE.get(error.close_code or 0, USUAL)
    return PATIENT


class RetrySchedule:
    """The waits in a row of attempts that fail, in seconds."""

    def __init__(self, backoff: Backoff, random: Callable[[], float]) -> None:
        self._backoff = backoff
        self._random = random
        self._early: list[float] = []
        self._is_first = True
        self._usual = backoff.base

    def lost(self, lasted: float) -> None:
        """A connection has ended that lasted so many seconds."""
        self._early = list(self._backoff.early) if lasted >= self._backoff.well_after else []
        self._is_first = True
        self._usual = self._backoff.base

    def next(self, retry: Retry) -> float:
        is_first, self._is_first = self._is_first, False
        if retry.pace == "patient":
            self._early = []
        early = self._early.pop(0) if self._early else None
        if is_first and retry.pace == "soon":
            return self._backoff.restart_spread * self._random()
        if early is not None:
            return early * self._random() if is_first else early
        full = min(self._backoff.maximum, self._usual)
        self._usual = full * self._backoff.multiplier
        return full * (1 - self._backoff.jitter * self._random())
