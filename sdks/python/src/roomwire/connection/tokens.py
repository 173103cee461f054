"""Where tokens come from, and what can be said of one without asking the server."""

from __future__ import annotations

import base64
import inspect
import json
from typing import Any

from ..errors import ConnectionError, RoomwireError
from ..options import TokenFunction, TokenRequest


class TokenSource:
    """The text or the function that the client was given."""

    def __init__(self, given: str | TokenFunction) -> None:
        self._given = given
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
                token = await token
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


def problem_of(token: str) -> str | None:
    """Why it cannot be a token, where that can be told from its form. Never contains the token."""
    if token.startswith("ak_"):
        return "It is an API key, which is for the REST API. A client needs an actor's access token (at_live_…) or a client token"
    if token.startswith("sk_"):
        return "It is a signing key. Sign a client token (a JWT) with it, and give that"
    if token.lower().startswith("bearer "):
        return "Give the token alone, without the word Bearer"
    parts = token.split(".")
    if token.startswith("at_"):
        return None if len(parts) == 2 and parts[1] else "An access token is at_live_<id>.<secret>; its secret is missing"
    if len(parts) != 3:
        return "It is neither an access token (at_live_<id>.<secret>) nor a JWT, which has three parts with dots between them"
    header = json_of(parts[0])
    if header is None:
        return "It looks like a JWT, and its header cannot be read"
    if not isinstance(header.get("kid"), str):
        return "The header of the JWT has no kid. It must be the keyId of the signing key (sk_live_…)"
    return None


def expiry_of(token: str) -> float | None:
    """The `exp` of a client token, in Unix seconds."""
    parts = token.split(".")
    claims = json_of(parts[1]) if len(parts) == 3 else None
    expiry = None if claims is None else claims.get("exp")
    return float(expiry) if isinstance(expiry, (int, float)) and not isinstance(expiry, bool) else None


def json_of(part: str) -> dict[str, Any] | None:
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
