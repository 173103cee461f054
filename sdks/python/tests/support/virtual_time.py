"""An event loop whose time passes only when there is nothing else to do, and then at once."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any

MOST_SECONDS = 200_000
"""A client that only sends heartbeats would go on for ever."""


class JumpingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if events or timeout == 0:
            return events
        if timeout is None:
            raise RuntimeError("Nothing will ever happen: the test waits for what nobody does")
        self.now += max(timeout, 1e-6)
        if self.now > MOST_SECONDS:
            raise RuntimeError("The test waits for what never happens")
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_and_check(loop: asyncio.AbstractEventLoop, test: Coroutine[Any, Any, Any]) -> None:
    """Runs a test, which must leave no task behind, and none that has failed unseen."""
    unseen: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: unseen.append(context))
    try:
        loop.run_until_complete(test)
        left = asyncio.all_tasks(loop)
        assert not left, f"The test has left tasks behind: {left}"
        loop.run_until_complete(loop.shutdown_asyncgens())
        assert not unseen, f"Nobody has seen these: {unseen}"
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
