import type { ActorEvent, ActorFields } from './actor.js';
import type { ApiKeyEvent, ApiKeyFields } from './apiKey.js';
import type { AppEvent } from './app.js';
import type { BlueprintEvent } from './blueprint.js';
import type { ConsoleAccessEvent } from './consoleAccess.js';
import type { ConsoleSignInEvent } from './consoleSignIn.js';
import type { ConnectionCloseEvent } from './closedConnection.js';
import type { CallPayload, DeadLetterEvent, Delivery } from './deadLetter.js';
import type { OrganizationEvent } from './organization.js';
import type { ProjectEvent } from './project.js';
import type { GrantEvent, RoomEvent } from './room.js';
import type { ScopeEvent } from './scope.js';
import type { SessionRevocationEvent } from './sessionRevocation.js';
import type { SigningKeyEvent, SigningKeyFields } from './signingKey.js';
import type { TokenRevocationEvent } from './tokenRevocation.js';
import type { JobGroupEvent } from './jobGroup.js';
import type { HistoryEvent } from './topicHistory.js';
import type { WebhookCircuitEvent } from './webhookCircuit.js';
import type { WebhookSecretEvent } from './webhookSecret.js';
import type { HappenedEvent, RecordedEvent } from './eventEnvelope.js';

/** Every event of the control plane. */
export type DomainEvent =
  | OrganizationEvent
  | ProjectEvent
  | ApiKeyEvent
  | BlueprintEvent
  | AppEvent
  | RoomEvent
  | GrantEvent
  | HistoryEvent
  | JobGroupEvent
  | ScopeEvent
  | ActorEvent
  | SigningKeyEvent
  | DeadLetterEvent
  | WebhookSecretEvent
  | WebhookCircuitEvent
  | SessionRevocationEvent
  | TokenRevocationEvent
  | ConsoleAccessEvent
  | ConsoleSignInEvent
  | ConnectionCloseEvent;

export type EventType = DomainEvent['type'];

/** The current schema version of each event type. */
export const schemaVersions: Readonly<Record<EventType, number>> = {
  OrganizationCreated: 1,
  OrganizationUpdated: 1,
  ProjectCreated: 1,
  ProjectUpdated: 1,
  ProjectDeleted: 1,
  // 2: permissions and allowed addresses.
  ApiKeyCreated: 2,
  ApiKeyRevoked: 1,
  AppCreated: 1,
  AppUpdated: 1,
  AppDeleted: 1,
  RoomCreated: 1,
  RoomUpdated: 1,
  RoomDeleted: 1,
  RoomGrantAdded: 1,
  RoomGrantRevoked: 1,
  HistoryDeleted: 1,
  JobGroupConfigured: 1,
  JobGroupDeleted: 1,
  ScopeCreated: 1,
  ScopeUpdated: 1,
  ScopeDeleted: 1,
  ScopeMembershipTaken: 1,
  ScopeMembershipGivenBack: 1,
  // 2: the actor's scope membership.
  ActorCreated: 2,
  ActorUpdated: 1,
  ActorDeleted: 1,
  // 2: whether external actors are allowed.
  SigningKeyCreated: 2,
  SigningKeyUpdated: 2,
  SigningKeyResealed: 1,
  SigningKeyDeleted: 1,
  BlueprintRegistered: 1,
  BlueprintVersionAdded: 1,
  // 2: the payload apart from the event; 3: other kinds than a trigger, which may have no URL.
  DeadLetterRecorded: 3,
  DeadLetterRedriven: 1,
  DeadLetterRedriveFailed: 1,
  // 2: the redrive, and the status of its answer.
  DeadLetterDelivered: 2,
  DeadLetterMarkedDead: 1,
  DeadLetterDeleted: 1,
  WebhookSecretCreated: 1,
  WebhookSecretResealed: 1,
  WebhookSecretDeleted: 1,
  WebhookCircuitOpened: 1,
  WebhookCircuitClosed: 1,
  SessionRevoked: 1,
  TokensRevoked: 1,
  TokenRevocationExpired: 1,
  ConsoleAccessGiven: 1,
  ConsoleSignedIn: 1,
  ConnectionCloseRequested: 1,
};

/** Converts the data of one schema version to the next. */
export type Upcast = (data: unknown) => unknown;

/**
 * By event type and old schema version. Events in a log are never edited, so a row must not be removed.
 */
export const upcasters: { readonly [T in EventType]?: Readonly<Record<number, Upcast>> } = {
  ApiKeyCreated: {
    // Written when a key opened everything, from everywhere.
    1: (data) => ({
      ...(data as Omit<ApiKeyFields, 'permissions' | 'allowedAddresses'>),
      permissions: null,
      allowedAddresses: null,
    }),
  },
  ActorCreated: {
    // Written before there were scopes.
    1: (data) => ({ ...(data as Omit<ActorFields, 'scopeMembershipId'>), scopeMembershipId: null }),
  },
  SigningKeyCreated: {
    // Written before there were external actors.
    1: (data) => ({ ...(data as Omit<SigningKeyFields, 'allowExternalActors'>), allowExternalActors: false }),
  },
  SigningKeyUpdated: {
    // Written when this could not be changed.
    1: (data) => data,
  },
  DeadLetterRecorded: {
    // Written with the payload in it.
    1: (data) => {
      const { requestHeaders, requestBody, ...fields } = data as CallPayload;
      return { ...fields, payload: { requestHeaders, requestBody } };
    },
    // Written when there were triggers alone.
    2: (data) => data,
  },
  DeadLetterDelivered: {
    // Written when nobody waited for the outcome of a redrive.
    1: (data) => ({ ...(data as Pick<Delivery, 'dlqId'>), redriveId: null, responseStatus: null }),
  },
};

/** An event that this version cannot read: written by a newer one, or not by Roomwire. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';
  readonly event: RecordedEvent;

  constructor(event: RecordedEvent) {
    super(
      `Event ${event.id} is a ${event.type} of schema version ${event.schemaVersion}, which is not known`,
    );
    this.event = event;
  }
}

/** Current schema versions, and the upcasts of older ones. */
export interface EventSchemas {
  readonly versions: Readonly<Record<string, number>>;
  readonly upcasters: Readonly<Record<string, Readonly<Record<number, Upcast>> | undefined>>;
}

const currentSchemas: EventSchemas = { versions: schemaVersions, upcasters };

/** A recorded event in the current schema, ready for a fold. Throws `UnknownEvent`. */
export const readEvent = (event: RecordedEvent): HappenedEvent<DomainEvent> =>
  ({
    type: event.type,
    data: currentData(event, currentSchemas),
    occurredAt: event.metadata.occurredAt,
  }) as HappenedEvent<DomainEvent>;

/** False for an event that `readEvent` throws `UnknownEvent` for. */
export const isReadable = ({
  type,
  schemaVersion,
}: Pick<RecordedEvent, 'type' | 'schemaVersion'>): boolean => {
  const { versions, upcasters: steps } = currentSchemas;
  const current = Object.hasOwn(versions, type) ? versions[type] : undefined;
  return current === schemaVersion || (current !== undefined && steps[type]?.[schemaVersion] !== undefined);
};

/** The data of an event, upcast version by version to the current one. Throws `UnknownEvent`. */
export const currentData = (event: RecordedEvent, { versions, upcasters: steps }: EventSchemas): unknown => {
  const current = Object.hasOwn(versions, event.type) ? versions[event.type] : undefined;
  let { data, schemaVersion } = event;
  while (schemaVersion !== current) {
    const upcast = current === undefined ? undefined : steps[event.type]?.[schemaVersion];
    if (upcast === undefined) throw new UnknownEvent(event);
    data = upcast(data);
    schemaVersion++;
  }
  return data;
};
