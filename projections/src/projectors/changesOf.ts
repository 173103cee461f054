import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import { readEvent } from '@roomwire/shared/domain/readEvent';
import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import { actors } from './actors.js';
import { apiKeys } from './apiKeys.js';
import { apps } from './apps.js';
import { blueprints } from './blueprints.js';
import { deadLetters } from './deadLetters.js';
import { grants } from './grants.js';
import { organizations } from './organizations.js';
import { projects } from './projects.js';
import type { EventPlace, Projector } from './projector.js';
import { rooms } from './rooms.js';
import { scopes } from './scopes.js';
import { signingKeys } from './signingKeys.js';
import { webhookSecrets } from './webhookSecrets.js';

/** Every event type and what it changes. A type without a row is a type error. */
const projectors: Projector<DomainEvent> = {
  ...organizations,
  ...projects,
  ...apiKeys,
  ...blueprints,
  ...apps,
  ...rooms,
  ...grants,
  ...scopes,
  ...actors,
  ...signingKeys,
  ...deadLetters,
  ...webhookSecrets,
};

/** What an event changes in the read models. Throws for an event that this program does not know. */
export const changesOf = (recorded: RecordedEvent): readonly ViewChange[] => {
  const { type, data, occurredAt } = readEvent(recorded);
  const project = projectors[type] as (data: unknown, place: EventPlace) => readonly ViewChange[];
  return project(data, { occurredAt, position: recorded.position });
};
