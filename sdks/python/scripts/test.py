"""Checks and tests the package in environments of their own, and builds what is published.

The Python that runs it does all of it; every other one from 3.10 to 3.13 that is on the PATH runs the unit tests.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
ENVIRONMENTS = PACKAGE / ".venv"
OTHERS = ["python3.10", "python3.11", "python3.12", "python3.13"]


def main() -> None:
    python = environment(sys.executable, version_of(sys.executable))
    run(python, "-m", "ruff", "check", ".")
    run(python, "-m", "ruff", "format", "--check", ".")
    run(python, "-m", "mypy")
    shutil.rmtree(PACKAGE / "dist", ignore_errors=True)
    run(python, "-m", "build", "--no-isolation")
    run(python, "-m", "twine", "check", "--strict", *map(str, (PACKAGE / "dist").iterdir()))
    run(python, "-m", "pytest", "-q")
    for name in OTHERS:
        version = version_of(name)
        if version and version != version_of(sys.executable):
            print(f"The unit tests on {name}", flush=True)
            run(environment(name, version), "-m", "pytest", "-q", "tests/unit")


def version_of(python: str) -> str:
    """Empty for one that is not there."""
    command = [python, "-c", "import sys; print('.'.join(map(str, sys.version_info[:2])))"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def environment(python: str, version: str) -> str:
    """Its Python, with the package and what tests it. Made once, and brought up to date."""
    folder = ENVIRONMENTS / version
    if not (folder / "bin/python").exists():
        if python == sys.executable:
            venv.create(folder, with_pip=True)
        else:
            subprocess.run([python, "-m", "venv", str(folder)], check=True)
    run(str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", ".[test]")
    return str(folder / "bin/python")


def run(*command: str) -> None:
    """Ends the whole with the code of a command that fails."""
    code = subprocess.run(command, cwd=PACKAGE, check=False).returncode
    if code != 0:
        print(f"failed: {' '.join(command[1:])}", file=sys.stderr)
        sys.exit(code)


if __name__ == "__main__":
    main()
