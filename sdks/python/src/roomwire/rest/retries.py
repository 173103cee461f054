"""When a request that may be sent again is sent again."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import RoomwireError
from .errors import RestError

MOST_RETRIES = 3
FIRST_WAIT = 0.25
LONGEST_WAIT = 10.0
PASSING = (429, 502, 503, 504)


def wait_before_retry(error: RoomwireError, retries: int, random: Callable[[], float]) -> float | None:
    """Seconds, by chance, so that many backends do not come back at once. None where it is not worth it, or not soon enough."""
    if isinstance(error, RestError):
        if error.status not in PASSING:
            return None
        if error.retry_after is not None:
            return error.retry_after + FIRST_WAIT * random() if error.retry_after <= LONGEST_WAIT else None
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0**retries) * (1 - random() / 2)
