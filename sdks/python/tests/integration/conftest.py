from __future__ import annotations

from collections.abc import Iterator

import pytest

from roomwire.rest import RestClient

from ..support.program import PROGRAM, Program
from ..support.world import World, make_world


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    if not PROGRAM.exists():
        pytest.skip("These tests need the repository that this package comes from")
    program = Program(tmp_path_factory.mktemp("data"))
    yield program
    program.stop()


@pytest.fixture
def world(program: Program) -> Iterator[World]:
    """Each test has an app of its own."""
    with RestClient(program.url, program.api_key) as rest:
        yield make_world(program, rest)
