"""What could not be done, of an organization. Fields have the names that they have in the REST API."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, cast

from .. import types
from .transport import Transport


class DeadLetters:
    """Calls of webhooks, jobs and scheduled publishes that failed. They take the session token of a user instead of an API key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(
        self,
        org_id: str,
        *,
        kind: Literal["trigger", "event", "job", "schedule"] | None = None,
        project_id: str | None = None,
        app_id: str | None = None,
        url: str | None = None,
        status: Literal["pending", "failed", "dead"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> types.DeadLetterPage:
        """A page, the newest first; `since` and `until` are about when they were recorded, and need a time zone."""
        query = {
            "kind": kind,
            "projectId": project_id,
            "appId": app_id,
            "url": url,
            "status": status,
            "from": None if since is None else since.isoformat(),
            "to": None if until is None else until.isoformat(),
            "limit": limit,
            "offset": offset,
        }
        return cast(types.DeadLetterPage, await self._transport.request("GET", dead_letters_of(org_id), query=query))

    async def redrive(self, org_id: str, dlq_id: str) -> types.DeadLetter:
        """Tries it again, later; the entry as it is now."""
        return cast(types.DeadLetter, await self._transport.request("POST", f"{dead_letters_of(org_id)}/{dlq_id}/redrive"))

    async def redrive_and_wait(self, org_id: str, dlq_id: str) -> types.RedriveOutcome:
        """Tries it again, and waits for what comes of it, 30 s at most: then `delivered` is False, and the rest None. A delivered one is
        gone."""
        path = f"{dead_letters_of(org_id)}/{dlq_id}/redrive"
        return cast(types.RedriveOutcome, await self._transport.request("POST", path, query={"wait": "true"}, timeout=WAIT_SECONDS))


WAIT_SECONDS = 40.0
"""A little longer than the server waits."""


def dead_letters_of(org_id: str) -> str:
    return f"organizations/{org_id}/webhook-dlq"
