import type { ActorEvent } from './actors/actor.js';
import type { ApiKeyEvent } from './api-keys/apiKey.js';
import type { AppEvent } from './apps/app.js';
import type { BlueprintEvent } from './blueprints/blueprint.js';
import type { DeadLetterEvent } from './dead-letters/deadLetter.js';
import type { OrganizationEvent } from './organizations/organization.js';
import type { ProjectEvent } from './projects/project.js';
import type { GrantEvent } from './rooms/grant.js';
import type { RoomEvent } from './rooms/room.js';
import type { ScopeEvent } from './scopes/scope.js';
import type { SigningKeyEvent } from './signing-keys/signingKey.js';
import type { WebhookSecretEvent } from './webhook-secrets/webhookSecret.js';

/** The language of the log: everything that can have happened in the control plane. */
export type DomainEvent =
  | OrganizationEvent
  | ProjectEvent
  | ApiKeyEvent
  | BlueprintEvent
  | AppEvent
  | RoomEvent
  | GrantEvent
  | ScopeEvent
  | ActorEvent
  | SigningKeyEvent
  | DeadLetterEvent
  | WebhookSecretEvent;

export type EventType = DomainEvent['type'];

/** The schema version in which each type is written today. */
export const schemaVersions: Readonly<Record<EventType, number>> = {
  OrganizationCreated: 1,
  OrganizationUpdated: 1,
  ProjectCreated: 1,
  ProjectUpdated: 1,
  ProjectDeleted: 1,
  ApiKeyCreated: 1,
  ApiKeyRevoked: 1,
  AppCreated: 1,
  AppUpdated: 1,
  AppDeleted: 1,
  RoomCreated: 1,
  RoomUpdated: 1,
  RoomDeleted: 1,
  RoomGrantAdded: 1,
  RoomGrantRevoked: 1,
  ScopeCreated: 1,
  ScopeUpdated: 1,
  ScopeDeleted: 1,
  ScopeMembershipTaken: 1,
  ScopeMembershipGivenBack: 1,
  // 2: the actor's place in its scope.
  ActorCreated: 2,
  ActorUpdated: 1,
  ActorDeleted: 1,
  SigningKeyCreated: 1,
  SigningKeyUpdated: 1,
  SigningKeyResealed: 1,
  SigningKeyDeleted: 1,
  BlueprintRegistered: 1,
  BlueprintVersionAdded: 1,
  DeadLetterRecorded: 1,
  DeadLetterRedriven: 1,
  DeadLetterRedriveFailed: 1,
  DeadLetterDelivered: 1,
  DeadLetterMarkedDead: 1,
  DeadLetterDeleted: 1,
  WebhookSecretCreated: 1,
  WebhookSecretResealed: 1,
  WebhookSecretDeleted: 1,
};
