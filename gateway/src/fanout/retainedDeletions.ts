import type { TopicConfigs } from '@roomwire/shared/domain/app';
import { topicNameOf } from '@roomwire/shared/domain/topic';
import { historyOf, type DeletedHistory } from '@roomwire/shared/domain/topicHistory';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { RetainedMessage, RetainedMeta } from '@roomwire/shared/wire/bus/liveMessage';
import { comparePlaces, placeOf, type Place } from '@roomwire/shared/wire/protocol/position';

/** What is looked at of a value, and of a message that may become one. */
export type Deletable = Pick<RetainedMeta, 'appId' | 'roomId' | 'accessScopeId'> &
  Pick<RetainedMessage, 'id' | 'topic' | 'kept' | 'place'>;

export type DeletedTopic = Omit<DeletedHistory, 'appId'>;

interface Deletion {
  /** Undefined for one that this version cannot read. */
  readonly to: Place | undefined;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The settings of an app's topics since a time, Unix milliseconds. */
interface Settings {
  readonly configs: TopicConfigs;
  readonly since: number;
}

/** What is older has arrived long ago. */
const remembered = 10_000;

/**
 * Histories that were deleted, with the last values of their topics. They are remembered, because a value that was published before may
 * arrive after the deletion: they come on different channels.
 *
 * A value whose place is known goes if that was deleted. Another one goes if it was accepted by the time of the deletion, as the clocks
 * of its gateway and of the command API have it: one that is published while its topic is being deleted may stay.
 */
export class RetainedDeletions {
  /** By topic. */
  private readonly topics = new Map<string, Deletion>();
  private readonly apps = new Map<string, Settings>();

  topicDeleted({ topic: name, upTo, ...of }: DeletedTopic, at: number): void {
    const { roomId, accessScopeId } = of;
    remember(this.topics, keyOf(roomId, accessScopeId, name), { to: placeOf({ ...of, name }, upTo), at });
  }

  /** Topics without history in these settings have none any more. */
  topicsConfigured(appId: string, configs: TopicConfigs, at: number): void {
    remember(this.apps, appId, { configs, since: at });
  }

  cover({ appId, roomId, accessScopeId, id, topic, kept, place }: Deletable): boolean {
    if (this.topics.size + this.apps.size === 0) return false;
    const name = topicNameOf(topic);
    const at = acceptedAt(id);
    const deletion = this.topics.get(keyOf(roomId, accessScopeId, name));
    if (deletion !== undefined && isDeleted({ at, place }, deletion)) return true;
    const settings = kept && this.apps.get(appId);
    return settings !== undefined && at <= settings.since && historyOf(settings.configs, name) === undefined;
  }
}

const isDeleted = (
  value: { readonly at: number; readonly place: Place | undefined },
  { to, at }: Deletion,
) => (value.place && to ? comparePlaces(value.place, to) <= 0 : value.at <= at);

const keyOf = (roomId: string, accessScopeId: string | null, name: string): string =>
  `${roomId}/${accessScopeId ?? ''}/${name}`;

/** As the newest one; the oldest is forgotten where there are too many. */
const remember = <T>(all: Map<string, T>, key: string, value: T): void => {
  all.delete(key);
  all.set(key, value);
  if (all.size > remembered) all.delete(all.keys().next().value as string);
};
