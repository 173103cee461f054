"""When to ask again for what was refused for a reason that may pass."""

from __future__ import annotations

from collections.abc import Callable

from .errors import RoomwireError

PASSING = ("broker_unavailable", "memory_limit_exceeded", "request_timeout")
"""Nothing is wrong with the request: it may succeed later, on the same connection."""

FIRST_DELAY = 1.0
LONGEST_DELAY = 30.0


def may_pass(error: RoomwireError) -> bool:
    return error.error in PASSING


def request_delay(failures: int, random: Callable[[], float]) -> float:
    """Seconds to wait after so many failures in a row (1 for the first)."""
    return float(min(LONGEST_DELAY, FIRST_DELAY * 2 ** min(failures - 1, 10))) * (1 - 0.5 * random())
