import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type {
  History,
  HistoryOwners,
  HistoryTopic,
  HistoryView,
  KeptMessage,
} from '@roomwire/shared/ports/history';
import type { HistoryIndex, IndexedTopic } from '@roomwire/shared/ports/historyIndex';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { comparePlaces, type Place } from '@roomwire/shared/wire/protocol/position';

type OwnedTopic = HistoryTopic & HistoryOwners;

interface Kept {
  readonly topic: OwnedTopic;
  messages: KeptMessage[];
  newest: KeptMessage | undefined;
  deletedTo: Place | undefined;
}

const pageLength = 2;

/** Message history in memory, in pages that are small enough for tests to need several. */
export class MemoryHistory implements History, Pick<HistoryIndex, 'topic' | 'topicsOf' | 'removeOf'> {
  /** While it is, everything rejects. */
  isAway = false;
  private readonly epoch: number;
  private readonly topics = new Map<string, Kept>();
  /** The offset behind the last one, by room. */
  private readonly ends = new Map<string, number>();

  constructor(epoch = Date.UTC(2026, 0, 1)) {
    this.epoch = epoch;
  }

  publish(topic: OwnedTopic, message: LiveMessage): Place {
    const kept = this.keptOf(topic);
    const offset = this.ends.get(topic.room) ?? 0;
    this.ends.set(topic.room, offset + 1);
    const { newest } = kept;
    kept.newest = {
      place: { epoch: this.epoch, offset },
      ordinal: (newest?.ordinal ?? 0) + 1,
      latestAt: Math.max(newest?.latestAt ?? 0, acceptedAt(message.id)),
      message,
    };
    kept.messages.push(kept.newest);
    return kept.newest.place;
  }

  /** The ids of the messages of a topic, the oldest first. */
  idsOf(topic: HistoryTopic): readonly string[] {
    return this.topics.get(keyOf(topic))?.messages.map(({ message }) => message.id) ?? [];
  }

  async look(topic: HistoryTopic): Promise<HistoryView> {
    this.requireHere();
    const known = this.topics.get(keyOf(topic));
    const messages = [...(known?.messages ?? [])];
    return {
      epoch: this.epoch,
      upTo: (this.ends.get(topic.room) ?? 0) - 1,
      ...{ newest: known?.newest, removedTo: undefined, deletedTo: known?.deletedTo },
      removals: async () => ({ removedTo: undefined, deletedTo: this.topics.get(keyOf(topic))?.deletedTo }),
      newestFirst: (before) => pages(messages.filter(isBefore(before)).reverse()),
      oldestFirst: (after) => pages(messages.filter(isAfter(after))),
    };
  }

  async indexed(): Promise<void> {
    this.requireHere();
  }

  epochOf(): number {
    return this.epoch;
  }

  async deleteTopic(topic: HistoryTopic, owners: HistoryOwners, to: Place): Promise<void> {
    this.requireHere();
    const kept = this.keptOf({ ...topic, ...owners });
    kept.messages = kept.messages.filter(isAfter(to));
    kept.deletedTo = to;
  }

  async topic(topic: HistoryTopic): Promise<IndexedTopic> {
    return { ...(await this.look(topic)), newest: this.topics.get(keyOf(topic))?.newest };
  }

  async *topicsOf(appId: string): AsyncIterable<readonly OwnedTopic[]> {
    this.requireHere();
    for (const { topic } of this.topics.values()) if (topic.appId === appId) yield [topic];
  }

  async removeOf(owners: readonly string[]): Promise<void> {
    this.requireHere();
    for (const [key, { topic }] of this.topics) {
      const { projectId, appId, roomId, accessScopeId } = topic;
      if ([projectId, appId, roomId, accessScopeId].some((id) => id !== null && owners.includes(id)))
        this.topics.delete(key);
    }
  }

  private requireHere(): void {
    if (this.isAway) throw new EngineUnavailable('message history');
  }

  private keptOf(topic: OwnedTopic): Kept {
    const known = this.topics.get(keyOf(topic));
    if (known !== undefined) return known;
    const kept: Kept = { topic, messages: [], newest: undefined, deletedTo: undefined };
    this.topics.set(keyOf(topic), kept);
    return kept;
  }
}

const keyOf = ({ roomId, accessScopeId, name }: HistoryTopic): string =>
  `${roomId}/${accessScopeId ?? ''}/${name}`;

const isBefore =
  (place: Place | undefined) =>
  (kept: KeptMessage): boolean =>
    place === undefined || comparePlaces(kept.place, place) < 0;

const isAfter =
  (place: Place | undefined) =>
  (kept: KeptMessage): boolean =>
    place === undefined || comparePlaces(kept.place, place) > 0;

async function* pages(messages: readonly KeptMessage[]): AsyncIterable<readonly KeptMessage[]> {
  for (let at = 0; at < messages.length; at += pageLength) yield messages.slice(at, at + pageLength);
}
