import { EngineUnavailable } from '../../src/ports/errors.js';
import type { HistoryOwners, HistoryTopic, KeptMessage } from '../../src/ports/history.js';
import type {
  HistoryIndex,
  IndexedPartition,
  IndexedRecord,
  IndexedTopic,
} from '../../src/ports/historyIndex.js';
import { isBehind } from '../../src/history/boundedView.js';
import { acceptedAt } from '../../src/wire/bus/messageId.js';
import type { LiveMessage } from '../../src/wire/bus/liveMessage.js';
import { comparePlaces, type Place } from '../../src/wire/protocol/position.js';

type Used = 'partition' | 'begin' | 'append' | 'topic' | 'deleteTopic';

interface Entry {
  readonly messages: KeptMessage[];
  newest: KeptMessage | undefined;
  deletedTo: Place | undefined;
}

const pageMessages = 3;

const keyOf = ({ room, roomId, accessScopeId, name }: HistoryTopic): string =>
  `${roomId}/${accessScopeId ?? ''}/${room}/${name}`;

const topicOf = ({ room, topic, kept }: LiveMessage): HistoryTopic => ({
  room,
  roomId: kept?.roomId ?? '',
  accessScopeId: kept?.accessScopeId ?? null,
  name: topic.slice(room.length + 1),
});

/** The index as its port promises it, for those that use one. */
export class MemoryHistoryIndex implements Pick<HistoryIndex, Used> {
  /** What happens to an append: refused before or after it is written. */
  appendFault: 'none' | 'refused' | 'written, and refused' = 'none';
  isAway = false;
  appends = 0;
  private readonly partitions = new Map<number, IndexedPartition>();
  private readonly topics = new Map<string, Entry>();

  async partition(partition: number): Promise<IndexedPartition | undefined> {
    await this.answer();
    return this.partitions.get(partition);
  }

  async begin(
    partition: number,
    former: number | undefined,
    to: IndexedPartition,
  ): Promise<IndexedPartition> {
    await this.answer();
    const known = this.partitions.get(partition);
    if (known !== undefined && known.epoch !== former) return known;
    this.partitions.set(partition, to);
    return to;
  }

  async append(partition: number, records: readonly IndexedRecord[], to: IndexedPartition): Promise<void> {
    await this.answer();
    this.appends += 1;
    if (this.appendFault === 'refused') throw new EngineUnavailable('message history');
    for (const { offset, message } of records) this.add({ epoch: to.epoch, offset }, message);
    const before = this.partitions.get(partition);
    const place = ({ epoch, next }: IndexedPartition): Place => ({ epoch, offset: next });
    if (before === undefined || comparePlaces(place(to), place(before)) > 0)
      this.partitions.set(partition, to);
    if (this.appendFault !== 'none') throw new EngineUnavailable('message history');
  }

  async topic(topic: HistoryTopic): Promise<IndexedTopic> {
    await this.answer();
    const entry = this.entry(keyOf(topic));
    const { newest, deletedTo } = entry;
    const shown = () => entry.messages.filter(({ place }) => isBehind(place, deletedTo));
    return {
      ...{ newest, deletedTo, removedTo: undefined },
      newestFirst: (before) =>
        pages(() =>
          shown()
            .filter(({ place }) => before === undefined || comparePlaces(place, before) < 0)
            .reverse(),
        ),
      oldestFirst: (after) => pages(() => shown().filter(({ place }) => isBehind(place, after))),
    };
  }

  async deleteTopic(topic: HistoryTopic, _owners: HistoryOwners, to: Place): Promise<void> {
    await this.answer();
    this.entry(keyOf(topic)).deletedTo = to;
  }

  /** Of all topics, in the order of their places. */
  get all(): readonly KeptMessage[] {
    return [...this.topics.values()]
      .flatMap(({ messages }) => messages)
      .sort((one, other) => comparePlaces(one.place, other.place));
  }

  private add(place: Place, message: LiveMessage): void {
    const entry = this.entry(keyOf(topicOf(message)));
    const { newest, messages } = entry;
    if (newest !== undefined && !isBehind(place, newest.place)) return;
    if (messages.some((known) => known.message.id === message.id)) return;
    const latestAt = Math.max(newest?.latestAt ?? 0, acceptedAt(message.id));
    entry.newest = { place, ordinal: (newest?.ordinal ?? 0) + 1, latestAt, message };
    messages.push(entry.newest);
  }

  private entry(key: string): Entry {
    const entry = this.topics.get(key) ?? { messages: [], newest: undefined, deletedTo: undefined };
    this.topics.set(key, entry);
    return entry;
  }

  private async answer(): Promise<void> {
    await new Promise(setImmediate);
    if (this.isAway) throw new EngineUnavailable('message history');
  }
}

/** A page is read when it is asked for. */
async function* pages(read: () => readonly KeptMessage[]): AsyncGenerator<readonly KeptMessage[]> {
  for (let last: KeptMessage | undefined; ;) {
    const all = read();
    const from = last === undefined ? 0 : all.findIndex(({ place }) => place === last?.place) + 1;
    const page = all.slice(from, from + pageMessages);
    if (page.length === 0) return;
    yield page;
    last = page.at(-1);
  }
}
