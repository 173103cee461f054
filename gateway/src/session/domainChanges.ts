import type { AppChanges, TopicConfigs } from '@roomwire/shared/domain/app';
import { deletedId, deletedOwners } from '@roomwire/shared/domain/deletedIds';
import type { HappenedEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { readEvent, type DomainEvent, type EventType } from '@roomwire/shared/domain/events';
import type { RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import type { JobsHere } from '../jobs/noJobs.js';
import type { RoomEventChanges } from '../room-events/roomEvents.js';
import type { FeedCoverage } from '../revalidation/feedCoverage.js';
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
  SessionRevoked: (revalidator, { data, occurredAt }) => revalidator.sessionRevoked(data, occurredAt),
  TokensRevoked: (revalidator, { data }) => revalidator.tokensRevoked(data),
  TokenRevocationExpired: nothing,
  ConsoleAccessGiven: nothing,
  ConsoleSignedIn: nothing,
  ConnectionCloseRequested: nothing,
};

/** Handles the `domain-events` feed. An event of a newer version may mean anything, so that everything is read again. */
export const createDomainChanges =
  (revalidator: Revalidator, { refused, coverage, ...owned }: FeedListeners) =>
  (recorded: RecordedEvent): void => {
    // Any of them may make credentials good: of an actor, its project, organization or scope, a signing key.
    refused.changed();
    const { organizationId } = recorded.metadata;
    const projectId = recorded.metadata.projectId ?? '';
    const event = knownEvent(recorded);
    if (event === undefined) {
      revalidator.anythingChanged(organizationId, projectId);
      // Perhaps it was about something else.
      return coverage.restart();
    }
    (reactions[event.type] as Reaction<EventType>)(revalidator, event, projectId);
    tellOwned(owned, event);
    coverage.received(recorded.position);
  };

interface FeedListeners extends ChangesOfOwned {
  readonly refused: Pick<RefusedCredentials<unknown>, 'changed'>;
  readonly coverage: Pick<FeedCoverage, 'received' | 'restart'>;
}

/** What gateways own by shard, and learns of changes itself. */
interface ChangesOfOwned {
  readonly roomEvents?: RoomEventChanges | undefined;
  readonly jobs?: Pick<JobsHere, 'removeOf'>;
}

/** After the revalidator, which has forgotten what was cached. */
const tellOwned = ({ roomEvents, jobs }: ChangesOfOwned, event: HappenedEvent<DomainEvent>): void => {
  const { type, data } = event;
  if (type === 'AppUpdated') roomEvents?.appChanged(data.appId);
  if (type === 'RoomDeleted') roomEvents?.roomDeleted(data.roomId);
  const ended = deletedId(deletedOwners, event);
  if (ended === undefined) return;
  if (type !== 'RoomDeleted') roomEvents?.ownerDeleted(ended);
  void jobs?.removeOf(ended);
};

const knownEvent = (recorded: RecordedEvent): HappenedEvent<DomainEvent> | undefined => {
  try {
    return readEvent(recorded);
  } catch {
    return undefined; // UnknownEvent: the caller reads everything again.
  }
};
