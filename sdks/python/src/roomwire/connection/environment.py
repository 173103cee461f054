"""Time, chance and sockets come from here, so that tests can give others."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from ..options import Settings
from .socket import Socket, open_web_socket


@dataclass(frozen=True)
class Environment:
    open_socket: Callable[[], Awaitable[Socket]]
    clock: Callable[[], float]
    """Unix seconds. Waits are those of the event loop."""
    random: Callable[[], float]
    """From 0 (inclusive) to 1 (exclusive)."""
    new_id: Callable[[], str]
    """Nobody else has it, or can guess it."""


def system_environment(settings: Settings) -> Environment:
    return Environment(
        open_socket=partial(open_web_socket, settings.url, ssl=settings.ssl, headers=settings.headers),
        clock=time.time,
        random=random.random,
        new_id=partial(secrets.token_hex, 12),
    )
