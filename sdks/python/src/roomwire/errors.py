"""What the library raises. Tell errors apart by `error`, the name that the protocol gives them."""

from __future__ import annotations

CLIENT_FAILURES = {
    "not_connected": "Nothing was sent, because there is no connection now",
    "connection_lost": "The connection was lost",
    "unreachable": "The server could not be reached",
    "client_closed": "The client has been closed",
    "connect_timeout": "The connection was not open in time",
    "auth_timeout": "The server did not answer the authentication in time",
    "heartbeat_timeout": "The server did not answer a heartbeat in time",
    "request_timeout": "The server did not answer in time; whether it acted is not known",
    "token_unavailable": "The token function failed or gave no token",
    "invalid_token": "The token cannot be one, so it was not sent",
    "unsupported_protocol": "The server does not speak version 2 of the protocol",
    "undecodable_frame": "The server sent a frame that cannot be read",
    "invalid_id": "An id has 1 to 128 characters of A-Z a-z 0-9 _ . : -",
    "invalid_data": "The data cannot be encoded as MessagePack",
    "subscription_conflict": "The topic is subscribed with other options already",
    "subscription_ended": "The server has ended the subscription",
    "unsupported_feature": "The server does not have what is asked for; it may be an older one",
    "buffer_overflow": "Messages came faster than they were taken",
    "handler_failed": "A handler failed",
    "client_failed": "The client has failed, which is a defect of it",
}

HELP = {
    "access_denied": (
        "The server does not say why. Look at: is it an access token (at_live_…) or a client token of this server; is the "
        "actor active and not expired; for a client token, are `kid` and `sub` the keyIds of an active signing key "
        "(sk_live_…) and of an actor (at_live_…) of one project; has the server's clock passed `nbf`"
    ),
    "token_expired": "The `exp` of the client token has passed; give a token function, which is asked for a new one in time",
    "unknown_topic": "Look at GET /v1/organizations/{orgId}/explain, which says whether an actor may use an address and why",
    "not_authorized": "There is no such lobby, or no room of it that this actor may read",
    "history_disabled": "Switch it on by topicConfigs.<topic>.history of the app",
    "rate_limit_exceeded": "A connection publishes 50 messages a second; for more, publish over HTTP from a backend",
    "subscription_conflict": "Use the same options, or one subscription",
    "buffer_overflow": "Take messages faster, or raise buffer_size",
}


class RoomwireError(Exception):
    """Everything that the library raises or reports."""

    def __init__(
        self,
        error: str,
        *,
        message: str | None = None,
        code: int | None = None,
        topic: str | None = None,
        hint: str | None = None,
        msg_ref: str | None = None,
        max_size_bytes: int | None = None,
        lobby_id: str | None = None,
        reason: str | None = None,
        help: str | None = None,  # noqa: A002
    ) -> None:
        self.error = error
        """Machine-readable name, for example `unknown_topic`."""
        self.code = code
        """Where the protocol gives a number, for example 42940."""
        self.topic = topic
        """`app/room/topic`, or the room, that it is about."""
        self.hint = hint
        """What may help, as the server says."""
        self.msg_ref = msg_ref
        self.max_size_bytes = max_size_bytes
        """Most bytes that `data` may have, with `message_too_large`."""
        self.lobby_id = lobby_id
        self.reason = reason
        """Why a subscription was ended, for example `grant_revoked`."""
        self.help = help if help is not None else HELP.get(error)
        """What to look at, as far as this library knows."""
        super().__init__(self._describe(message))

    def _describe(self, message: str | None) -> str:
        text = message or CLIENT_FAILURES.get(self.error, f"The server answered {self.error}")
        about = self.topic or self.lobby_id
        if self.reason is not None:
            text = f"{text}: {self.reason}"
        if about is not None:
            text = f"{text} ({about})"
        return ". ".join(part.rstrip(".") for part in (text, self.hint, self.help) if part)


class AuthenticationError(RoomwireError):
    """The token was refused, or could not be checked: `error` says which."""


class ConnectionError(RoomwireError):  # noqa: A001 - the name that clients of other services have for it
    """There is no connection, or no longer."""

    def __init__(
        self,
        error: str,
        *,
        close_code: int | None = None,
        close_reason: str | None = None,
        message: str | None = None,
        topic: str | None = None,
        msg_ref: str | None = None,
        help: str | None = None,  # noqa: A002
    ) -> None:
        self.close_code = close_code
        """Close code of the WebSocket (4001, 4002, 4003, 1012, …; 1006 without a closing handshake)."""
        self.close_reason = close_reason
        """As the server gave it, for example `token_revoked`."""
        if message is None and close_code is not None:
            message = f"{CLIENT_FAILURES[error]} ({' '.join(filter(None, (str(close_code), close_reason)))})"
        super().__init__(error, message=message, topic=topic, msg_ref=msg_ref, help=help)


def caused_by(error: RoomwireError, cause: BaseException | None) -> RoomwireError:
    """For errors that are handed to a future and not raised here."""
    error.__cause__ = cause
    return error
