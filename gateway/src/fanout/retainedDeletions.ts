import type { TopicConfigs } from '@roomwire/shared/domain/app';
import { topicNameOf } from '@roomwire/shared/domain/topic';
import { historyOf, type DeletedHistory } from '@roomwire/shared/domain/topicHistory';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { LiveMessage, RetainedMeta } from '@roomwire/shared/wire/bus/liveMessage';

/** What is looked at of a value, and of a message that may become one. */
export type Deletable = Pick<RetainedMeta, 'appId' | 'roomId' | 'accessScopeId'> &
  Pick<LiveMessage, 'id' | 'kept'>;

export type DeletedTopic = Pick<DeletedHistory, 'roomId' | 'accessScopeId' | 'topic'>;

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
 * A value is gone if it was accepted by the time of the deletion, as the clocks of its gateway and of the command API have it. So one
 * that is published while its topic is being deleted may stay, and none that is published after the answer goes.
 */
export class RetainedDeletions {
  /** By topic, when it was deleted; Unix milliseconds. */
  private readonly topics = new Map<string, number>();
  private readonly apps = new Map<string, Settings>();

  topicDeleted({ roomId, accessScopeId, topic }: DeletedTopic, at: number): void {
    remember(this.topics, keyOf(roomId, accessScopeId, topic), at);
  }

  /** Topics without history in these settings have none any more. */
  topicsConfigured(appId: string, configs: TopicConfigs, at: number): void {
    remember(this.apps, appId, { configs, since: at });
  }

  /** `topic`: the internal one. */
  cover({ appId, roomId, accessScopeId, id, kept }: Deletable, topic: string): boolean {
    const name = topicNameOf(topic);
    const at = acceptedAt(id);
    const deleted = this.topics.get(keyOf(roomId, accessScopeId, name));
    if (deleted !== undefined && at <= deleted) return true;
    const settings = kept === undefined ? undefined : this.apps.get(appId);
    return settings !== undefined && at <= settings.since && historyOf(settings.configs, name) === undefined;
  }
}

const keyOf = (roomId: string, accessScopeId: string | null, name: string): string =>
  `${roomId}/${accessScopeId ?? ''}/${name}`;

/** As the newest one; the oldest is forgotten where there are too many. */
const remember = <T>(all: Map<string, T>, key: string, value: T): void => {
  all.delete(key);
  all.set(key, value);
  if (all.size > remembered) all.delete(all.keys().next().value as string);
};
