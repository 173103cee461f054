"""The resources of the REST API, with the names that they have there. Made by `scripts/make_types.py`: do not edit."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


class AppConfigEventWebhook(TypedDict):
    url: NotRequired[str]
    headers: NotRequired[dict[str, str]]
    retrySeconds: NotRequired[int]
    bodyVersion: NotRequired[Literal[1, 2]]
    events: NotRequired[list[Literal["occupied", "vacated", "joined", "left"]]]
    lingerSeconds: NotRequired[int]


class AppConfigLobbies(TypedDict):
    slug: str
    rooms: list[str]


class AppConfig(TypedDict):
    autoProvisionRooms: NotRequired[bool]
    accessMode: NotRequired[Literal["open", "private"]]
    eventWebhook: NotRequired[AppConfigEventWebhook | None]
    lobbies: NotRequired[list[AppConfigLobbies]]


class TopicConfigLogging(TypedDict):
    enabled: bool
    retention: NotRequired[Literal["tier", "1d", "7d", "30d", "90d"]]
    replayEnabled: NotRequired[bool]
    maxReplayMessages: NotRequired[int]


class TopicConfigHistory(TypedDict):
    seconds: NotRequired[int]
    messages: NotRequired[int]


class Webhook(TypedDict):
    url: str
    headers: NotRequired[dict[str, str]]


class TriggerWebhook(TypedDict):
    url: str
    headers: NotRequired[dict[str, str]]
    retrySeconds: NotRequired[int]
    bodyVersion: NotRequired[Literal[1, 2]]


class TopicConfigWebhooks(TypedDict):
    onSubscribe: NotRequired[Webhook]
    onPublish: NotRequired[TriggerWebhook]


class TopicConfig(TypedDict):
    logging: NotRequired[TopicConfigLogging]
    history: NotRequired[TopicConfigHistory | None]
    webhooks: NotRequired[TopicConfigWebhooks]


class App(TypedDict):
    appId: str
    projectId: str
    name: str
    slug: str
    description: str | None
    status: Literal["active", "disabled", "suspended"]
    blueprintId: str | None
    blueprintVersion: str | None
    pinnedBlueprintVersion: bool
    config: AppConfig
    topics: list[str]
    topicConfigs: dict[str, TopicConfig]
    hydrationWebhook: Webhook | None
    triggerWebhook: TriggerWebhook | None
    dependencies: Any
    files: Any
    framework: Any
    createdAt: str
    updatedAt: str


class Pagination(TypedDict):
    total: int
    page: int
    pageCount: int


class AppPage(TypedDict):
    data: list[App]
    pagination: Pagination


class EventWebhookInput(TypedDict):
    """Is called when somebody comes into a room or leaves it; without `events` for all four"""

    url: str
    headers: NotRequired[dict[str, str]]
    retrySeconds: NotRequired[int]
    bodyVersion: NotRequired[Literal[1, 2]]
    events: NotRequired[list[Literal["occupied", "vacated", "joined", "left"]]]
    lingerSeconds: NotRequired[int]


class AppConfigInputLobbies(TypedDict):
    slug: str
    rooms: list[str]


class AppConfigInput(TypedDict):
    eventWebhook: NotRequired[EventWebhookInput | None]
    autoProvisionRooms: NotRequired[bool]
    accessMode: NotRequired[Literal["open", "private"]]
    lobbies: NotRequired[list[AppConfigInputLobbies]]


class TopicConfigInputLogging(TypedDict):
    enabled: bool
    retention: NotRequired[Literal["tier", "1d", "7d", "30d", "90d"]]
    replayEnabled: NotRequired[bool]
    maxReplayMessages: NotRequired[int]


class TopicConfigInputHistory(TypedDict):
    """Messages are kept where it is an object, even an empty one"""

    seconds: NotRequired[int]
    messages: NotRequired[int]


class WebhookInput(TypedDict):
    url: str
    headers: NotRequired[dict[str, str]]


class TriggerWebhookInput(TypedDict):
    url: str
    headers: NotRequired[dict[str, str]]
    retrySeconds: NotRequired[int]
    bodyVersion: NotRequired[Literal[1, 2]]


class TopicConfigInputWebhooks(TypedDict):
    onSubscribe: NotRequired[WebhookInput]
    onPublish: NotRequired[TriggerWebhookInput]


class TopicConfigInput(TypedDict):
    logging: NotRequired[TopicConfigInputLogging]
    history: NotRequired[TopicConfigInputHistory | None]
    webhooks: NotRequired[TopicConfigInputWebhooks]


class NewApp(TypedDict):
    name: str
    description: NotRequired[str | None]
    config: NotRequired[AppConfigInput]
    topics: NotRequired[list[str]]
    topicConfigs: NotRequired[dict[str, TopicConfigInput]]
    hydrationWebhook: NotRequired[WebhookInput | None]
    triggerWebhook: NotRequired[TriggerWebhookInput | None]
    dependencies: NotRequired[Any]
    files: NotRequired[Any]
    framework: NotRequired[Any]
    slug: NotRequired[str]
    blueprintId: NotRequired[str]
    blueprintVersion: NotRequired[str]


class AppChanges(TypedDict):
    name: NotRequired[str]
    status: NotRequired[Literal["active", "disabled"]]
    pinnedBlueprintVersion: NotRequired[bool]
    description: NotRequired[str | None]
    slug: NotRequired[str]
    config: NotRequired[AppConfigInput]
    topics: NotRequired[list[str]]
    topicConfigs: NotRequired[dict[str, TopicConfigInput]]
    hydrationWebhook: NotRequired[WebhookInput | None]
    triggerWebhook: NotRequired[TriggerWebhookInput | None]
    dependencies: NotRequired[Any]
    files: NotRequired[Any]


class AppDeleted(TypedDict):
    success: Literal[True]


class Room(TypedDict):
    roomId: str
    appId: str
    name: str
    slug: str
    description: str | None
    topics: list[str]
    metadata: dict[str, Any]
    status: Literal["active", "disabled"]
    isStatic: bool
    createdAt: str
    updatedAt: str


class RoomPage(TypedDict):
    data: list[Room]
    next: str | None


class NewRoom(TypedDict):
    name: str
    slug: NotRequired[str]
    description: NotRequired[str | None]
    topics: NotRequired[list[str]]
    metadata: NotRequired[dict[str, Any]]
    enableWebRTC: NotRequired[bool]


class RoomChanges(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str | None]
    status: NotRequired[Literal["active", "disabled"]]
    topics: NotRequired[list[str]]
    metadata: NotRequired[dict[str, Any]]


class RoomGrant(TypedDict):
    roomActorAccessId: str
    appId: str
    roomId: str
    actorTokenId: str | None
    actorType: Literal["device", "user", "service", "session", "agent", "orchestrator", "observer"] | None
    permission: Literal["subscribe", "publish", "pubSub"]
    topics: list[str] | None
    expiresAt: str | None
    isActive: bool
    role: str | None
    metadata: dict[str, Any] | None
    createdAt: str
    updatedAt: str


class RoomGrantPage(TypedDict):
    data: list[RoomGrant]
    next: str | None


class NewRoomGrant(TypedDict):
    permission: Literal["subscribe", "publish", "pubSub"]
    actorTokenId: NotRequired[str]
    actorType: NotRequired[Literal["device", "user", "service", "session", "agent", "orchestrator", "observer"]]
    topics: NotRequired[list[str] | None]
    expiresAt: NotRequired[str | None]
    isActive: NotRequired[bool]
    role: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class Scope(TypedDict):
    accessScopeId: str
    projectId: str
    slug: str
    name: str
    description: str | None
    metadata: dict[str, Any] | None
    isActive: bool
    createdAt: str
    updatedAt: str


class ScopePage(TypedDict):
    data: list[Scope]
    pagination: Pagination


class NewScope(TypedDict):
    slug: str
    name: str
    description: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class ScopeChanges(TypedDict):
    name: NotRequired[str]
    isActive: NotRequired[bool]
    description: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class Actor(TypedDict):
    actorTokenId: str
    projectId: str
    accessScopeId: str | None
    keyId: str
    name: str
    actorType: Literal["device", "user", "service", "session", "agent", "orchestrator", "observer"]
    status: Literal["active", "disabled"]
    expiresAt: str | None
    lastUsedAt: str | None
    metadata: dict[str, Any] | None
    createdAt: str
    updatedAt: str


class ActorPage(TypedDict):
    data: list[Actor]
    next: str | None


class NewActor(TypedDict):
    name: str
    actorType: Literal["device", "user", "service", "session", "agent", "orchestrator", "observer"]
    expiresAt: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    accessScopeId: NotRequired[str | None]


class CreatedActor(TypedDict):
    actorTokenId: str
    projectId: str
    accessScopeId: str | None
    keyId: str
    name: str
    actorType: Literal["device", "user", "service", "session", "agent", "orchestrator", "observer"]
    status: Literal["active", "disabled"]
    expiresAt: str | None
    lastUsedAt: str | None
    metadata: dict[str, Any] | None
    createdAt: str
    updatedAt: str
    accessToken: str


class ActorChanges(TypedDict):
    name: NotRequired[str]
    status: NotRequired[Literal["active", "disabled"]]
    expiresAt: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    accessScopeId: NotRequired[str | None]


class SigningKey(TypedDict):
    signingKeyId: str
    projectId: str
    keyId: str
    name: str
    status: Literal["active", "disabled"]
    lastUsedAt: str | None
    createdAt: str
    updatedAt: str
    allowExternalActors: NotRequired[Literal[True]]


class SigningKeyPage(TypedDict):
    data: list[SigningKey]
    pagination: Pagination


class NewSigningKey(TypedDict):
    name: str
    environment: NotRequired[Literal["live", "sandbox"]]
    allowExternalActors: NotRequired[bool]


class CreatedSigningKey(TypedDict):
    signingKeyId: str
    projectId: str
    keyId: str
    name: str
    status: Literal["active", "disabled"]
    lastUsedAt: str | None
    createdAt: str
    updatedAt: str
    allowExternalActors: NotRequired[Literal[True]]
    signingKey: str


class SigningKeyChanges(TypedDict):
    name: NotRequired[str]
    status: NotRequired[Literal["active", "disabled"]]
    allowExternalActors: NotRequired[bool]


class TokenRevocation(TypedDict):
    revocationId: str
    projectId: str
    subject: str
    before: str
    createdAt: str


class TokenRevocationPage(TypedDict):
    data: list[TokenRevocation]
    next: str | None


class NewTokenRevocation(TypedDict):
    subject: str
    before: NotRequired[str]


class ScheduledPublish(TypedDict):
    scheduledId: str
    topic: str
    scope: str | None
    id: str
    actorTokenId: str | None
    deliverAt: str
    createdAt: str


class ScheduledPublishPage(TypedDict):
    data: list[ScheduledPublish]
    next: str | None


NewMessage = TypedDict(
    "NewMessage",
    {
        "topic": "str",
        "data": "NotRequired[Any]",
        "base64": "NotRequired[str]",
        "scope": "NotRequired[str | None]",
        "as": "NotRequired[str | None]",
        "filter": "NotRequired[str | None]",
        "filters": "NotRequired[list[str] | None]",
        "retain": "NotRequired[bool | None]",
        "qos": "NotRequired[int | None]",
        "id": "NotRequired[str | None]",
        "trigger": "NotRequired[bool | None]",
        "deliverAt": "NotRequired[str | None]",
    },
)


class AcceptedMessage(TypedDict):
    id: str
    at: str
    position: NotRequired[str]
    duplicate: NotRequired[Literal[True]]


class ScheduledMessage(TypedDict):
    id: str
    scheduledId: str
    deliverAt: str
    duplicate: NotRequired[Literal[True]]


class ProtocolError(TypedDict):
    """An error as the socket has it."""

    error: str
    code: NotRequired[int]
    hint: NotRequired[str]
    maxSizeBytes: NotRequired[int]


class KeptMessage(TypedDict):
    id: str
    at: str
    actorTokenId: str | None
    position: str
    filter: str | None
    data: Any
    base64: NotRequired[str]


class MessageHistoryGap(TypedDict):
    """Only where messages behind `after` are missing"""

    reason: Literal["expired", "limit", "unknown"]
    after: NotRequired[str]
    before: NotRequired[str]


class MessageHistory(TypedDict):
    data: list[KeptMessage]
    next: NotRequired[str]
    gap: NotRequired[MessageHistoryGap]


class PresentActor(TypedDict):
    actorTokenId: str
    presence: dict[str, Any]
    joinedAt: str


class PresencePage(TypedDict):
    data: list[PresentActor]
    next: str | None


class RoomOccupancy(TypedDict):
    roomId: str
    slug: str
    present: int
    subscribers: int


class Occupancy(TypedDict):
    data: list[RoomOccupancy]


class JobOptions(TypedDict):
    prefetch: int
    ackSeconds: int
    maxDeliveries: int


class JobGroup(TypedDict):
    groupId: str
    topic: str
    name: str
    scope: str | None
    jobs: JobOptions
    depth: int
    inFlight: int
    oldestAt: str | None
    members: int
    createdAt: str


class JobGroupPage(TypedDict):
    data: list[JobGroup]
    next: str | None


class NewJobGroupJobs(TypedDict):
    """How its jobs are handed out; replaced by each call"""

    prefetch: NotRequired[int]
    ackSeconds: NotRequired[int]
    maxDeliveries: NotRequired[int]


class NewJobGroup(TypedDict):
    topic: str
    name: str
    scope: NotRequired[str | None]
    jobs: NotRequired[NewJobGroupJobs]


class DeadLetter(TypedDict):
    dlqId: str
    organizationId: str
    projectId: str
    appId: str
    kind: Literal["trigger", "event", "job", "schedule"]
    url: str | None
    requestHeaders: dict[str, str]
    requestBody: Any
    responseStatus: int | None
    error: str
    retryCount: int
    status: Literal["pending", "failed", "dead"]
    redriveCount: int
    lastRedriveAt: str | None
    lastRedriveBy: str | None
    createdAt: str
    updatedAt: str
    group: NotRequired[str]
    sequence: NotRequired[int]
    scheduledId: NotRequired[str]
    payloadExpired: NotRequired[bool]


class DeadLetterPagination(TypedDict):
    total: int
    limit: int
    offset: int


class DeadLetterPage(TypedDict):
    data: list[DeadLetter]
    pagination: DeadLetterPagination


class RedriveOutcome(TypedDict):
    delivered: bool
    responseStatus: int | None
    error: str | None
