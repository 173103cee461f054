"""Where tokens come from, and what can be said of one without asking the server."""

from __future__ import annotations

import base64
import inspect
import json
from typing import Any

from ..errors import AuthenticationError, ConnectionError, RoomwireError
from ..futures import within
from ..options import TokenFunction, TokenRequest


class TokenSource:
    """The text or the function that the client was given."""

    def __init__(self, given: str | TokenFunction, timeout: float) -> None:
        self._given = given
        self._timeout = timeout
        self._refused: tuple[str | None, RoomwireError] | None = None

    @property
    def is_function(self) -> bool:
        return not isinstance(self._given, str)

    async def obtain(self) -> str:
        """Raises `token_unavailable`."""
        if isinstance(self._given, str):
            return self._given
        try:
            token = self._given(TokenRequest(self._refused[1] if self._refused else None))
            if inspect.isawaitable(token):
                token = await within(self._timeout, token)
        except TimeoutError as cause:
            raise ConnectionError("token_unavailable", help="It did not answer in time") from cause
        except Exception as cause:
            raise ConnectionError("token_unavailable", help=str(cause) or type(cause).__name__) from cause
        if not isinstance(token, str) or not token:
            raise ConnectionError("token_unavailable", help="It gave no text")
        return token

    def refuse(self, token: str | None, error: RoomwireError) -> None:
        self._refused = (token, error)

    def accept(self) -> None:
        self._refused = None

    def refusal_of(self, token: str) -> RoomwireError | None:
        """Why it is of no use, if it is the one that was refused last."""
        if self._refused is not None and self._refused[0] == token:
            return self._refused[1]
        return None


def flaw_of(token: str) -> AuthenticationError | None:
    """Why no server will take it, where that can be told from its text; it has to be judged otherwise. Never contains the token."""
    if token.startswith("ak_"):
        return AuthenticationError("api_key_as_token")
    if token.startswith("sk_"):
        return AuthenticationError("malformed_token", help="It is a signing key. Sign a client token (a JWT) with it, and give that")
    if token.lower().startswith("bearer "):
        return AuthenticationError("malformed_token", help="Give the token alone, without the word Bearer")
    if not is_jwt(token):
        return None
    parts = token.split(".")
    header = json_of(parts[0])
    if len(parts) != 3 or header is None:
        return AuthenticationError("malformed_token")
    return None if isinstance(header.get("kid"), str) else AuthenticationError("token_without_kid")


def is_jwt(token: str) -> bool:
    """A map in JSON begins with `{"`, which is `eyJ` as base64."""
    return token.startswith("eyJ")


def times_of(token: str) -> tuple[float | None, float | None]:
    """`iat` and `exp` of a client token, in Unix seconds. Nothing is verified: only the own renewal goes by it."""
    parts = token.split(".")
    claims = json_of(parts[1]) if is_jwt(token) and len(parts) == 3 else None
    return number_of(claims, "iat"), number_of(claims, "exp")


def number_of(claims: dict[str, Any] | None, name: str) -> float | None:
    value = None if claims is None else claims.get(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def json_of(part: str) -> dict[str, Any] | None:
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
