import type { TopicConfigs } from '@roomwire/shared/domain/app';
import { deletedOwners } from '@roomwire/shared/domain/deletedIds';
import type { HappenedEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { readEvent, type DomainEvent, type EventType } from '@roomwire/shared/domain/events';
import type { HistoryOwners, HistoryTopic } from '@roomwire/shared/ports/history';
import { placeOf, type Place } from '@roomwire/shared/wire/protocol/position';
import { deletedBy } from './removals.js';

/** Done as often as it is asked for, it deletes nothing that is newer. */
export type HistoryDeletion = OwnerGone | TopicEmptied | TopicsConfigured;

/** Of a project, an app, a room or a scope, with everything that it has. */
interface OwnerGone {
  readonly kind: 'owner';
  readonly id: string;
}

interface TopicEmptied {
  readonly kind: 'topic';
  readonly topic: HistoryTopic;
  readonly owners: HistoryOwners;
  readonly to: Place;
}

/** In all rooms of an app, the topics that have no history in its new settings. */
export interface TopicsConfigured {
  readonly kind: 'settings';
  readonly appId: string;
  readonly configs: TopicConfigs;
  /** Since when; Unix milliseconds. */
  readonly since: number;
}

type DeletionOf<T extends EventType> = (
  event: Extract<HappenedEvent<DomainEvent>, { type: T }>,
  projectId: string,
) => HistoryDeletion | undefined;

const rows: { readonly [T in EventType]?: DeletionOf<T> } = {
  HistoryDeleted({ data: { appId, upTo, topic: name, ...names } }, projectId) {
    const topic = { ...names, name };
    const to = placeOf(topic, upTo);
    return to && { kind: 'topic', topic, owners: { projectId, appId }, to };
  },
  AppUpdated({ data: { appId, changes }, occurredAt }) {
    const configs = changes.topicConfigs;
    return configs && { kind: 'settings', appId, configs, since: Date.parse(occurredAt) };
  },
};

/** The message history that an event deletes. Throws for a malformed one. */
export const deletionOf = (event: RecordedEvent): HistoryDeletion | undefined => {
  const id = deletedBy(deletedOwners, event);
  if (id !== undefined) return { kind: 'owner', id };
  const deletion = rows[event.type as EventType] as DeletionOf<EventType> | undefined;
  return deletion?.(readEvent(event), event.metadata.projectId ?? '');
};
