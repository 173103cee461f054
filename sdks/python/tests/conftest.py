"""Tests that are coroutines run on an event loop of their own: unit tests on virtual time, the others on the real one."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from .support.virtual_time import VirtualTimeLoop, run_and_check


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    fixtures = {name: pyfuncitem.funcargs[name] for name in names}
    is_unit = "unit" in pyfuncitem.path.parts
    loop = VirtualTimeLoop() if is_unit else asyncio.new_event_loop()
    run_and_check(loop, pyfuncitem.obj(**fixtures))
    return True
