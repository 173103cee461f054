"""Where the REST API is."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

OF_SERVICE, OF_GATEWAY = r"/(v1/?)?$", r"/(ws/?)?$"
ENDS = {"http": OF_SERVICE, "https": OF_SERVICE, "ws": OF_GATEWAY, "wss": OF_GATEWAY}


def api_address(url: str) -> str:
    """The address of the REST API, from that of the service or of its gateway. Raises `ValueError` for anything else."""
    parts = urlsplit(url)
    if parts.scheme not in ENDS or not parts.netloc:
        raise ValueError(f"url must be the address of the service, like http://127.0.0.1:8080; it is {url!r}")
    scheme = parts.scheme.replace("ws", "http")
    return f"{scheme}://{parts.netloc}{re.sub(ENDS[parts.scheme], '', parts.path)}/v1/"
