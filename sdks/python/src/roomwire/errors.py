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
    "wrong_path": "There is no Roomwire at this address: it answered HTTP 404",
    "api_key_as_token": "An API key was given as the token of a client",
    "malformed_token": "The token is not a whole JWT: three parts with dots between them",
    "token_without_kid": "The token is a JWT whose header has no `kid`",
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
        "The server does not say why. Is it whole, of this server, and within its times; is the actor active; for a client token, are "
        "`kid` and `sub` the keyIds of an active signing key (sk_live_…) and of an actor (at_live_…) of one project? What was refused to a "
        "known actor is in the access log of its organization"
    ),
    "token_expired": "Give a token function, and the client renews its token in time",
    "actor_mismatch": "The token function has given a token of another actor; a connection keeps its actor",
    "connection_limit_reached": "The plan of the organization, or the actor, has no connection left",
    "unknown_topic": "GET /v1/organizations/{orgId}/explain says whether an actor may use an address, and why",
    "not_authorized": "There is no such lobby, or no room of it that this actor may read",
    "history_disabled": "topicConfigs.<topic>.history of the app switches it on",
    "rate_limit_exceeded": "Send less at a time, and this one again a little later; a backend publishes more over HTTP",
    "broker_unavailable": "The service is in trouble for now: try again",
    "not_connected": "Wait for `client.ready()`, or for the state `connected`",
    "unreachable": "Is the address right (its path is usually /ws), and the server up?",
    "wrong_path": "The path of the socket is usually /ws",
    "api_key_as_token": (
        "API keys (ak_live_…) are for backends. A client takes the access token of an actor (at_live_…), or a client token that your "
        "backend signs"
    ),
    "malformed_token": "Was it cut off, or is there something around it?",
    "token_without_kid": "Sign it with the `keyId` of the signing key as `kid`, and that of the actor as `sub`",
    "unsupported_feature": "`client.features` has what the server has",
    "subscription_conflict": "Give all subscriptions of a topic the same options",
    "buffer_overflow": "Take a larger `buffer_size`, or do less in the loop",
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
        http_status: int | None = None,
        message: str | None = None,
        topic: str | None = None,
        msg_ref: str | None = None,
        help: str | None = None,  # noqa: A002
    ) -> None:
        self.close_code = close_code
        """Close code of the WebSocket (4001, 4002, 4003, 1012, …; 1006 without a closing handshake)."""
        self.close_reason = close_reason
        """As the server gave it, for example `token_revoked`."""
        self.http_status = http_status
        """With which the server answered instead of opening a socket, for example 503."""
        if message is None and close_code is not None:
            message = f"{CLIENT_FAILURES[error]} ({' '.join(filter(None, (str(close_code), close_reason)))})"
        super().__init__(error, message=message, topic=topic, msg_ref=msg_ref, help=help)


def caused_by(error: RoomwireError, cause: BaseException | None) -> RoomwireError:
    """For errors that are handed to a future and not raised here."""
    error.__cause__ = cause
    return error
