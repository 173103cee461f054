"""Writes `roomwire/rest/synchronous` from `roomwire/rest/asynchronous`, which is the one to edit.

python scripts/make_sync.py [--check]
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

REST = Path(__file__).parent.parent / "src/roomwire/rest"
REPLACEMENTS = [
    (r"async def ", "def "),
    (r"async (for|with) ", r"\1 "),
    (r"await ", ""),
    (r"AsyncClient\b", "Client"),
    (r"AsyncBaseTransport\b", "BaseTransport"),
    (r"AsyncRestClient\b", "RestClient"),
    (r"AsyncIterator\b", "Iterator"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\baclose\b", "close"),
    (r"asyncio\.sleep", "time.sleep"),
    (r"import asyncio", "import time"),
    (r"for asyncio", "for synchronous code"),
]
NOTE = "# Made by `scripts/make_sync.py` from the module of the same name in `asynchronous`: do not edit.\n"


def synchronous(source: str, path: Path) -> str:
    for pattern, replacement in REPLACEMENTS:
        source = re.sub(pattern, replacement, source)
    command = [sys.executable, "-m", "ruff"]
    name = ["--stdin-filename", str(path), "-"]
    sorted_ = run([*command, "check", "-q", "--fix", "--select", "I", *name], NOTE + source)
    return run([*command, "format", "-q", *name], sorted_)


def run(command: list[str], source: str) -> str:
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def main(*options: str) -> None:
    for source in sorted((REST / "asynchronous").glob("*.py")):
        target = REST / "synchronous" / source.name
        text = synchronous(source.read_text(), target)
        if "--check" not in options:
            target.write_text(text)
        elif not target.exists() or target.read_text() != text:
            sys.exit(f"{target} is not what {source} gives: run scripts/make_sync.py")


if __name__ == "__main__":
    main(*sys.argv[1:])
