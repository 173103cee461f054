import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import { readEvent, type DomainEvent } from '@roomwire/shared/domain/events';
import { isOfTheControlPlane } from '@roomwire/shared/domain/auditHeads';
import { createdOrganization, type OrganizationEvent } from '@roomwire/shared/domain/organization';
import { createdProject, type ProjectEvent } from '@roomwire/shared/domain/project';
import { createdApiKey, type ApiKeyEvent } from '@roomwire/shared/domain/apiKey';
import { createdSigningKey, type SigningKeyEvent } from '@roomwire/shared/domain/signingKey';
import {
  createdSessionRevocation,
  revocationKeyOf,
  type SessionRevocationEvent,
} from '@roomwire/shared/domain/sessionRevocation';
import { createdTokenRevocation, type TokenRevocationEvent } from '@roomwire/shared/domain/tokenRevocation';
import { openedWebhookCircuit, type WebhookCircuitEvent } from '@roomwire/shared/domain/webhookCircuit';
import { createdWebhookSecret, type WebhookSecretEvent } from '@roomwire/shared/domain/webhookSecret';
import { registeredBlueprint, type BlueprintEvent } from '@roomwire/shared/domain/blueprint';
import { createdApp, type AppEvent } from '@roomwire/shared/domain/app';
import { createdGrant, createdRoom, type GrantEvent, type RoomEvent } from '@roomwire/shared/domain/room';
import type { ConsoleAccessEvent } from '@roomwire/shared/domain/consoleAccess';
import type { ConsoleSignInEvent } from '@roomwire/shared/domain/consoleSignIn';
import type { ConnectionCloseEvent } from '@roomwire/shared/domain/closedConnection';
import type { JobGroupEvent } from '@roomwire/shared/domain/jobGroup';
import type { HistoryEvent } from '@roomwire/shared/domain/topicHistory';
import { createdScope, type ScopeEvent } from '@roomwire/shared/domain/scope';
import { createdActor, type ActorEvent } from '@roomwire/shared/domain/actor';
import {
  failedAgain,
  recordedDeadLetter,
  redriven,
  type DeadLetterEvent,
} from '@roomwire/shared/domain/deadLetter';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';

/** What a read model may show of an event besides its data. */
interface EventContext {
  readonly occurredAt: string;
  readonly position: string;
}

/**
 * A read model as a table from event type to changes. Pure and idempotent: a change says what a document becomes, never by
 * how much it differs.
 */
type Projector<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: (
    data: Extract<Event, { readonly type: Type }>['data'],
    context: EventContext,
  ) => readonly ViewChange[];
};

const organizations: Projector<OrganizationEvent> = {
  OrganizationCreated: (data, { occurredAt, position }) => [
    {
      put: 'organizations',
      id: data.organizationId,
      doc: { ...createdOrganization(data, occurredAt), createdPosition: position },
    },
  ],
  OrganizationUpdated: ({ organizationId, changes }, { occurredAt }) => [
    { patch: 'organizations', id: organizationId, set: { ...changes, updatedAt: occurredAt } },
  ],
};

const projects: Projector<ProjectEvent> = {
  ProjectCreated: (data, { occurredAt, position }) => [
    {
      put: 'projects',
      id: data.projectId,
      doc: { ...createdProject(data, occurredAt), createdPosition: position },
    },
  ],
  ProjectUpdated: ({ projectId, changes }, { occurredAt }) => [
    { patch: 'projects', id: projectId, set: { ...changes, updatedAt: occurredAt } },
  ],
  ProjectDeleted: ({ projectId }) => [
    { remove: 'projects', id: projectId },
    { removeWhere: 'apiKeys', filter: { projectId } },
    { removeWhere: 'signingKeys', filter: { projectId } },
    { removeWhere: 'grants', filter: { projectId } },
    { removeWhere: 'rooms', filter: { projectId } },
    { removeWhere: 'apps', filter: { projectId } },
    { removeWhere: 'actors', filter: { projectId } },
    { removeWhere: 'scopes', filter: { projectId } },
    { removeWhere: 'deadLetters', filter: { projectId } },
    { removeWhere: 'webhookSecrets', filter: { projectId } },
    { removeWhere: 'webhookCircuits', filter: { projectId } },
    { removeWhere: 'tokenRevocations', filter: { projectId } },
  ],
};

const apiKeys: Projector<ApiKeyEvent> = {
  ApiKeyCreated: (data, { occurredAt, position }) => [
    {
      put: 'apiKeys',
      id: data.apiKeyId,
      doc: { ...createdApiKey(data, occurredAt), createdPosition: position },
    },
  ],
  ApiKeyRevoked: ({ apiKeyId }) => [{ remove: 'apiKeys', id: apiKeyId }],
};

const signingKeys: Projector<SigningKeyEvent> = {
  SigningKeyCreated: (data, { occurredAt, position }) => [
    {
      put: 'signingKeys',
      id: data.signingKeyId,
      doc: { ...createdSigningKey(data, occurredAt), createdPosition: position },
    },
  ],
  SigningKeyUpdated: ({ signingKeyId, changes }, { occurredAt }) => [
    { patch: 'signingKeys', id: signingKeyId, set: { ...changes, updatedAt: occurredAt } },
  ],
  SigningKeyResealed: ({ signingKeyId, sealedSecret }) => [
    { patch: 'signingKeys', id: signingKeyId, set: { sealedSecret } },
  ],
  SigningKeyDeleted: ({ signingKeyId }) => [{ remove: 'signingKeys', id: signingKeyId }],
};

const webhookSecrets: Projector<WebhookSecretEvent> = {
  WebhookSecretCreated: (data, { occurredAt, position }) => [
    {
      put: 'webhookSecrets',
      id: data.webhookSecretId,
      doc: { ...createdWebhookSecret(data, occurredAt), createdPosition: position },
    },
  ],
  WebhookSecretResealed: ({ webhookSecretId, sealedSecret }) => [
    { patch: 'webhookSecrets', id: webhookSecretId, set: { sealedSecret } },
  ],
  WebhookSecretDeleted: ({ webhookSecretId }) => [{ remove: 'webhookSecrets', id: webhookSecretId }],
};

const webhookCircuits: Projector<WebhookCircuitEvent> = {
  WebhookCircuitOpened: (data, { occurredAt, position }) => [
    {
      put: 'webhookCircuits',
      id: data.circuitId,
      doc: { ...openedWebhookCircuit(data, occurredAt), createdPosition: position },
    },
  ],
  WebhookCircuitClosed: ({ circuitId }) => [{ remove: 'webhookCircuits', id: circuitId }],
};

const sessionRevocations: Projector<SessionRevocationEvent> = {
  // Of several for one subject the latest holds for all sessions of which the earlier ones did.
  SessionRevoked: (data, { occurredAt, position }) => [
    {
      removeWhere: 'sessionRevocations',
      filter: {
        organizationId: data.organizationId,
        revokes: revocationKeyOf(data),
        byOperator: data.byOperator,
      },
    },
    {
      put: 'sessionRevocations',
      id: data.revocationId,
      doc: { ...createdSessionRevocation(data, occurredAt), createdPosition: position },
    },
  ],
};

const tokenRevocations: Projector<TokenRevocationEvent> = {
  TokensRevoked: (data, { occurredAt, position }) => [
    {
      put: 'tokenRevocations',
      id: data.revocationId,
      doc: { ...createdTokenRevocation(data, occurredAt), createdPosition: position },
    },
  ],
  TokenRevocationExpired: ({ revocationId }) => [{ remove: 'tokenRevocations', id: revocationId }],
};

const blueprints: Projector<BlueprintEvent> = {
  BlueprintRegistered: (data, { occurredAt, position }) => [
    {
      put: 'blueprints',
      id: data.blueprintId,
      doc: { ...registeredBlueprint(data, occurredAt), createdPosition: position },
    },
  ],
  // What a version defines is read from its stream.
  BlueprintVersionAdded: ({ blueprintId, versions }, { occurredAt }) => [
    { patch: 'blueprints', id: blueprintId, set: { versions, updatedAt: occurredAt } },
  ],
};

const apps: Projector<AppEvent> = {
  AppCreated: (data, { occurredAt, position }) => [
    { put: 'apps', id: data.appId, doc: { ...createdApp(data, occurredAt), createdPosition: position } },
  ],
  AppUpdated: ({ appId, changes }, { occurredAt }) => [
    { patch: 'apps', id: appId, set: { ...changes, updatedAt: occurredAt } },
  ],
  AppDeleted: ({ appId }) => [
    { remove: 'apps', id: appId },
    { removeWhere: 'grants', filter: { appId } },
    { removeWhere: 'rooms', filter: { appId } },
  ],
};

const rooms: Projector<RoomEvent> = {
  RoomCreated: (data, { occurredAt, position }) => [
    { put: 'rooms', id: data.roomId, doc: { ...createdRoom(data, occurredAt), createdPosition: position } },
  ],
  RoomUpdated: ({ roomId, changes }, { occurredAt }) => [
    { patch: 'rooms', id: roomId, set: { ...changes, updatedAt: occurredAt } },
  ],
  RoomDeleted: ({ roomId }) => [
    { remove: 'rooms', id: roomId },
    { removeWhere: 'grants', filter: { roomId } },
  ],
};

const grants: Projector<GrantEvent> = {
  RoomGrantAdded: (data, { occurredAt, position }) => [
    {
      put: 'grants',
      id: data.roomActorAccessId,
      doc: { ...createdGrant(data, occurredAt), createdPosition: position },
    },
  ],
  RoomGrantRevoked: ({ roomActorAccessId }) => [{ remove: 'grants', id: roomActorAccessId }],
};

/** No read model shows messages. */
const history: Projector<HistoryEvent> = { HistoryDeleted: () => [] };

/** Gateways have the groups. */
/** For the audit alone. */
const closedConnections: Projector<ConnectionCloseEvent> = { ConnectionCloseRequested: () => [] };

const jobGroups: Projector<JobGroupEvent> = { JobGroupConfigured: () => [], JobGroupDeleted: () => [] };

/** Credentials of the console are kept nowhere. */
const consoleEvents: Projector<ConsoleAccessEvent | ConsoleSignInEvent> = {
  ConsoleAccessGiven: () => [],
  ConsoleSignedIn: () => [],
};

const scopes: Projector<ScopeEvent> = {
  ScopeCreated: (data, { occurredAt, position }) => [
    {
      put: 'scopes',
      id: data.accessScopeId,
      doc: { ...createdScope(data, occurredAt), createdPosition: position },
    },
  ],
  ScopeUpdated: ({ accessScopeId, changes }, { occurredAt }) => [
    { patch: 'scopes', id: accessScopeId, set: { ...changes, updatedAt: occurredAt } },
  ],
  ScopeDeleted: ({ accessScopeId }) => [{ remove: 'scopes', id: accessScopeId }],
  // The actor's document says which scope it is in.
  ScopeMembershipTaken: () => [],
  ScopeMembershipGivenBack: () => [],
};

const actors: Projector<ActorEvent> = {
  ActorCreated: (data, { occurredAt, position }) => [
    {
      put: 'actors',
      id: data.actorTokenId,
      doc: { ...createdActor(data, occurredAt), createdPosition: position },
    },
  ],
  ActorUpdated: ({ actorTokenId, changes }, { occurredAt }) => [
    { patch: 'actors', id: actorTokenId, set: { ...changes, updatedAt: occurredAt } },
  ],
  ActorDeleted: ({ actorTokenId }) => [
    { remove: 'actors', id: actorTokenId },
    { removeWhere: 'tokenRevocations', filter: { actorTokenId } },
  ],
};

const deadLetters: Projector<DeadLetterEvent> = {
  DeadLetterRecorded: (data, { occurredAt, position }) => [
    {
      put: 'deadLetters',
      id: data.dlqId,
      doc: { ...recordedDeadLetter(data, occurredAt), createdPosition: position },
    },
  ],
  DeadLetterRedriven: (data, { occurredAt }) => [
    { patch: 'deadLetters', id: data.dlqId, set: redriven(data, occurredAt) },
  ],
  DeadLetterRedriveFailed: (data, { occurredAt }) => [
    { patch: 'deadLetters', id: data.dlqId, set: { ...failedAgain(data), updatedAt: occurredAt } },
  ],
  DeadLetterDelivered: ({ dlqId }) => [{ remove: 'deadLetters', id: dlqId }],
  DeadLetterMarkedDead: ({ dlqId }, { occurredAt }) => [
    { patch: 'deadLetters', id: dlqId, set: { status: 'dead', updatedAt: occurredAt } },
  ],
  DeadLetterDeleted: ({ dlqId }) => [{ remove: 'deadLetters', id: dlqId }],
};

/** Every event type and what it changes. A missing row is a type error. */
const projectors: Projector<DomainEvent> = {
  ...organizations,
  ...projects,
  ...apiKeys,
  ...blueprints,
  ...apps,
  ...rooms,
  ...grants,
  ...history,
  ...jobGroups,
  ...closedConnections,
  ...scopes,
  ...actors,
  ...signingKeys,
  ...deadLetters,
  ...webhookSecrets,
  ...webhookCircuits,
  ...sessionRevocations,
  ...tokenRevocations,
  ...consoleEvents,
};

/** What an event changes in the read models. Throws `UnknownEvent` for an event that this version cannot read. */
export const changesOf = (recorded: RecordedEvent): readonly ViewChange[] => {
  if (!isOfTheControlPlane(recorded)) return [];
  const { type, data, occurredAt } = readEvent(recorded);
  const project = projectors[type] as (data: unknown, context: EventContext) => readonly ViewChange[];
  return project(data, { occurredAt, position: recorded.position });
};
