"""What the server shows of this client."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _version() -> str:
    try:
        return version("roomwire")
    except PackageNotFoundError:  # the source alone, without an installation
        return "unknown"


CLIENT_NAME = f"roomwire-python/{_version()}"
