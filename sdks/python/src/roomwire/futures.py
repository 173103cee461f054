"""Futures that several parties settle, and callers may have given up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def new_future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


def resolve(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


def reject(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)


def is_cancelled() -> bool:
    """Whether somebody wants the current task to end, as far as Python tells: 3.10 does not."""
    cancelling = getattr(asyncio.current_task(), "cancelling", None)
    return cancelling is not None and cancelling() > 0


async def until_one_ends(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Runs them together; the first that ends, or fails, ends the others. None outlives the call."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task in done:
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def within(seconds: float, awaitable: Awaitable[T]) -> T:
    """Raises `TimeoutError`. Whatever it waits for is cancelled then, and when the caller is.

    `asyncio.wait_for` of Python 3.10 and 3.11 forgets a cancellation that comes with the result: a loop around it would never end.
    """
    waited = asyncio.ensure_future(awaitable)
    try:
        done, _ = await asyncio.wait([waited], timeout=seconds)
    finally:
        if not waited.done():
            waited.cancel()
            await asyncio.wait([waited])
        elif not waited.cancelled():
            # Seen, also where the caller is cancelled and does not get it.
            waited.exception()
    if not done:
        raise TimeoutError
    return waited.result()
