"""Whether to connect again, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..errors import AuthenticationError, ConnectionError, RoomwireError
from ..options import Backoff

GOOD_AFTER_SECONDS = 10.0
"""A connection that has lasted so long was well, and its loss is taken for a passing one."""


@dataclass(frozen=True)
class Retry:
    pace: Literal["usual", "soon", "patient"]
    """`soon` is for the first attempt after a planned end; `patient` never comes early."""
    token_refused: bool = False
    """The token is spent: another attempt makes sense with another token only."""


USUAL = Retry("usual")
PATIENT = Retry("patient")

BY_CLOSE_CODE = {
    1012: Retry("soon"),
    1013: PATIENT,
    4001: Retry("patient", token_refused=True),
    4002: PATIENT,
    4003: Retry("soon", token_refused=True),
}

BY_AUTHENTICATION_FAILURE = {
    "access_denied": Retry("patient", token_refused=True),
    "invalid_token": Retry("patient", token_refused=True),
    "token_expired": Retry("soon", token_refused=True),
}


def retry_of(error: RoomwireError) -> Retry | None:
    """None where no other attempt makes sense."""
    if error.error == "unsupported_protocol":
        return None
    if isinstance(error, AuthenticationError):
        return BY_AUTHENTICATION_FAILURE.get(error.error, PATIENT)
    if isinstance(error, ConnectionError):
        return BY_CLOSE_CODE.get(error.close_code or 0, USUAL)
    return USUAL


class RetrySchedule:
    """The waits in a row of attempts that fail, in seconds."""

    def __init__(self, backoff: Backoff, random: Callable[[], float]) -> None:
        self._backoff = backoff
        self._random = random
        self._early: list[float] = []
        self._is_first = True
        self._usual = 0

    def lost(self, lasted: float) -> None:
        """A connection has ended that lasted so many seconds."""
        is_good = lasted >= GOOD_AFTER_SECONDS
        first, *rest = self._backoff.early or (0.0,)
        self._early = [first * self._random(), *rest] if is_good and self._backoff.early else []
        self._is_first = True
        self._usual = 0

    def next(self, retry: Retry) -> float:
        is_first, self._is_first = self._is_first, False
        if retry.pace != "patient" and self._early:
            return self._early.pop(0)
        if retry.pace == "soon" and is_first:
            return self._backoff.restart_spread * self._random()
        full = self._backoff.base * self._backoff.multiplier**self._usual
        self._usual += 1
        return min(self._backoff.maximum, full) * (1 - self._backoff.jitter * self._random())
