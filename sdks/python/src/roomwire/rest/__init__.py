"""The REST API: `RestClient` for synchronous code, `AsyncRestClient` for asyncio."""

from . import types
from .asynchronous.client import AsyncRestClient
from .errors import RestError
from .messages import Published, Scheduled
from .synchronous.client import RestClient

__all__ = ["AsyncRestClient", "Published", "RestClient", "RestError", "Scheduled", "types"]
