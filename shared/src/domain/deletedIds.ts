import type { HappenedEvent } from './eventEnvelope.js';
import type { DomainEvent, EventType } from './events.js';

/** What events delete, by their type: its id. */
export type DeletedIds = {
  readonly [T in EventType]?: (data: Extract<DomainEvent, { type: T }>['data']) => string;
};

/** Of what is deleted with everything that belongs to it. */
export const deletedOwners = {
  ProjectDeleted: ({ projectId }) => projectId,
  AppDeleted: ({ appId }) => appId,
  RoomDeleted: ({ roomId }) => roomId,
  ScopeDeleted: ({ accessScopeId }) => accessScopeId,
} satisfies DeletedIds;

/** Undefined for an event of another type. */
export const deletedId = (
  ids: DeletedIds,
  { type, data }: Pick<HappenedEvent<DomainEvent>, 'type' | 'data'>,
): string | undefined => (ids[type] as ((data: unknown) => string) | undefined)?.(data);
