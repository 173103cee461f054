import type { ActorEvent } from './actors/actor.js';
import type { ApiKeyEvent } from './api-keys/apiKey.js';
import type { AppEvent } from './apps/app.js';
import type { OrganizationEvent } from './organizations/organization.js';
import type { ProjectEvent } from './projects/project.js';
import type { RoomEvent } from './rooms/room.js';

/** The language of the log: everything that can have happened in the control plane. */
export type DomainEvent = OrganizationEvent | ProjectEvent | ApiKeyEvent | AppEvent | RoomEvent | ActorEvent;

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
  ActorCreated: 1,
  ActorUpdated: 1,
  ActorDeleted: 1,
};
