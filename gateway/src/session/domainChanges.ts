import type { AppChanges, TopicConfigs } from '@roomwire/shared/domain/app';
import type { HappenedEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { readEvent, type DomainEvent, type EventType } from '@roomwire/shared/domain/events';
import type { RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import type { JobsHere } from '../jobs/jobs.js';
import type { RoomEventChanges } from '../room-events/roomEvents.js';
import type { Revalidator } from './revalidator.js';

type EventOf<T extends EventType> = Extract<HappenedEvent<DomainEvent>, { type: T }>;

type Reaction<T extends EventType> = (revalidator: Revalidator, event: EventOf<T>, projectId: string) => void;

/** A new resource is in no cache and has no connections. */
const nothing = (): void => undefined;

/** An event that is too large for the bus comes without its changes. */
const changedConfigs = ({ changes }: { readonly changes?: AppChanges }): TopicConfigs | undefined =>
  changes?.topicConfigs;

/** The effect of each event on live connections and caches; a missing event type is a type error. */
const reactions: { readonly [T in EventType]: Reaction<T> } = {
  OrganizationCreated: nothing,
  OrganizationUpdated: (revalidator, { data }) => revalidator.organizationUpdated(data.organizationId),
  ProjectCreated: nothing,
  ProjectUpdated: nothing,
  ProjectDeleted: (revalidator, { data }) => revalidator.projectDeleted(data.projectId),
  ApiKeyCreated: nothing,
  ApiKeyRevoked: nothing,
  AppCreated: nothing,
  AppUpdated: (revalidator, { data, occurredAt }, projectId) => {
    revalidator.appChanged(projectId, data.appId);
    const configs = changedConfigs(data);
    if (configs) revalidator.retained.topicsConfigured(data.appId, configs, Date.parse(occurredAt));
  },
  AppDeleted: (revalidator, { data }, projectId) => revalidator.appDeleted(projectId, data.appId),
  RoomCreated: nothing,
  RoomUpdated: (revalidator, { data }, projectId) => revalidator.roomChanged(projectId, data.roomId),
  RoomDeleted: (revalidator, { data }, projectId) => revalidator.roomDeleted(projectId, data.roomId),
  RoomGrantAdded: (revalidator, { data }, projectId) => revalidator.roomChanged(projectId, data.roomId),
  RoomGrantRevoked: (revalidator, { data }, projectId) => revalidator.roomChanged(projectId, data.roomId),
  HistoryDeleted: (revalidator, { data, occurredAt }) =>
    revalidator.retained.topicDeleted(data, Date.parse(occurredAt)),
  JobGroupConfigured: nothing,
  JobGroupDeleted: nothing,
  ScopeCreated: nothing,
  ScopeUpdated: (revalidator, { data }) => revalidator.scopeUpdated(data.accessScopeId),
  ScopeDeleted: (revalidator, { data }, projectId) => revalidator.scopeDeleted(projectId, data.accessScopeId),
  ScopeMembershipTaken: nothing,
  ScopeMembershipGivenBack: nothing,
  ActorCreated: nothing,
  ActorUpdated: (revalidator, { data }) => revalidator.actorUpdated(data.actorTokenId, data.changes),
  ActorDeleted: (revalidator, { data }) => revalidator.actorDeleted(data.actorTokenId),
  SigningKeyCreated: nothing,
  SigningKeyUpdated: (revalidator, { data }) => revalidator.signingKeyUpdated(data.signingKeyId),
  SigningKeyResealed: (revalidator, { data }) => revalidator.signingKeyResealed(data.signingKeyId),
  SigningKeyDeleted: (revalidator, { data }, projectId) =>
    revalidator.signingKeyDeleted(projectId, data.signingKeyId),
  BlueprintRegistered: nothing,
  BlueprintVersionAdded: nothing,
  DeadLetterRecorded: nothing,
  DeadLetterRedriven: nothing,
  DeadLetterRedriveFailed: nothing,
  DeadLetterDelivered: nothing,
  DeadLetterMarkedDead: nothing,
  DeadLetterDeleted: nothing,
  WebhookSecretCreated: nothing,
  WebhookSecretResealed: nothing,
  WebhookSecretDeleted: nothing,
  WebhookCircuitOpened: nothing,
  WebhookCircuitClosed: nothing,
  SessionRevoked: nothing,
  TokensRevoked: (revalidator, { data }) => revalidator.tokensRevoked(data),
  TokenRevocationExpired: nothing,
};

/** Handles the `domain-events` feed. An event of a newer version may mean anything, so that everything is read again. */
export const createDomainChanges =
  (
    revalidator: Revalidator,
    refused: Pick<RefusedCredentials<unknown>, 'changed'>,
    jobs: Pick<JobsHere, 'removeOf'>,
    roomEvents?: RoomEventChanges,
  ) =>
  (recorded: RecordedEvent): void => {
    // Any of them may make credentials good: of an actor, its project, organization or scope, a signing key.
    refused.changed();
    const { organizationId } = recorded.metadata;
    const projectId = recorded.metadata.projectId ?? '';
    const event = knownEvent(recorded);
    if (event === undefined) revalidator.anythingChanged(organizationId, projectId);
    else (reactions[event.type] as Reaction<EventType>)(revalidator, event, projectId);
    const deleted = event && deletedOwner(event);
    if (deleted !== undefined) void jobs.removeOf(deleted);
    // After the revalidator, which has forgotten what was cached.
    if (event !== undefined && roomEvents !== undefined) tellOfRooms(roomEvents, event);
  };

/** The id of a place whose groups with jobs go with it. */
const deletedOwner = ({ type, data }: HappenedEvent<DomainEvent>): string | undefined => {
  if (type === 'ProjectDeleted') return data.projectId;
  if (type === 'AppDeleted') return data.appId;
  if (type === 'RoomDeleted') return data.roomId;
  return type === 'ScopeDeleted' ? data.accessScopeId : undefined;
};

const tellOfRooms = (roomEvents: RoomEventChanges, { type, data }: HappenedEvent<DomainEvent>): void => {
  switch (type) {
    case 'AppUpdated':
      return roomEvents.appChanged(data.appId);
    case 'RoomDeleted':
      return roomEvents.roomDeleted(data.roomId);
    case 'ProjectDeleted':
      return roomEvents.ownerDeleted(data.projectId);
    case 'AppDeleted':
      return roomEvents.ownerDeleted(data.appId);
    case 'ScopeDeleted':
      return roomEvents.ownerDeleted(data.accessScopeId);
  }
};

const knownEvent = (recorded: RecordedEvent): HappenedEvent<DomainEvent> | undefined => {
  try {
    return readEvent(recorded);
  } catch {
    return undefined; // UnknownEvent: the caller reads everything again.
  }
};
