"""The blocks of the README are what the library has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from textwrap import indent

PACKAGE = Path(__file__).parents[2]
GIVEN = """
from __future__ import annotations
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from typing import Any
import httpx
import roomwire
from roomwire.rest import RestClient
"""
PARAMETERS = """
    client: roomwire.Client, rest: RestClient, topic: str, url: str, token: str, api_key: str, position: str,
    app_id: str, room_id: str, show: Callable[..., Any], keep: Callable[..., Any],
    store: Callable[..., Awaitable[bool]], handle: roomwire.MessageHandler
"""


def test_the_blocks_of_the_readme_pass_the_type_checker(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (PACKAGE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 15
    functions = [f"async def block_{n}({PARAMETERS}) -> None:\n{indent(block, '    ')}" for n, block in enumerate(blocks)]
    module = tmp_path / "readme.py"
    module.write_text(GIVEN + "\n\n".join(functions))
    options = ["--strict", "--disable-error-code=no-redef", "--disable-error-code=import-untyped"]
    command = [sys.executable, "-m", "mypy", "--config-file=", *options, str(module)]
    check = subprocess.run(command, cwd=PACKAGE / "src", capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr
