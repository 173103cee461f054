import { isUpTo, laterOf, standingOf } from '@roomwire/shared/adapters/history-index/intake';
import {
  ownersOf,
  topicKeyOf,
  topicOf,
  type OwnedTopic,
} from '@roomwire/shared/adapters/history-index/keptTopics';
import { RecentIds } from '@roomwire/shared/adapters/history-index/recentIds';
import type { HistoryTopic, KeptMessage } from '@roomwire/shared/ports/history';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type {
  HistoryIndex,
  IndexedPartition,
  IndexedRecord,
  IndexedTopic,
} from '@roomwire/shared/ports/historyIndex';
import { comparePlaces, type Place } from '@roomwire/shared/wire/protocol/position';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';

/** What is kept of a topic. */
interface Entry {
  readonly topic: OwnedTopic;
  readonly ids: RecentIds;
  messages: KeptMessage[];
  bounds: { readonly seconds: number; readonly messages: number };
  newest: IndexedTopic['newest'];
  removedTo: Place | undefined;
  deletedTo: Place | undefined;
}

/** The server of the index: what it holds survives every process. */
export class SimulatedHistoryIndex {
  readonly partitions = new Map<number, IndexedPartition>();
  readonly topics = new Map<string, Entry>();
  position: LogPosition | undefined;
  origin: LogOrigin | undefined;
  private readonly removed = new Set<string>();

  add({ epoch }: IndexedPartition, { offset, message }: IndexedRecord): void {
    const { kept } = message;
    if (kept === undefined) return;
    const entry = this.entry(topicOf(message, kept));
    if (entry === undefined) return;
    const newest = standingOf(entry.newest, entry.ids, { epoch, offset }, message.id);
    if (newest === undefined) return;
    entry.newest = newest;
    entry.bounds = kept;
    entry.ids.add(message.id);
    if (isUpTo(newest.place, entry.deletedTo)) return;
    entry.messages.push({ ...newest, message: { ...message, kept: undefined } });
    this.remove(entry, ({ ordinal }) => ordinal <= newest.ordinal - kept.messages);
  }

  begin(partition: number, former: number | undefined, to: IndexedPartition): IndexedPartition {
    const known = this.partitions.get(partition);
    if (known !== undefined && known.epoch !== former) return known;
    this.partitions.set(partition, to);
    return to;
  }

  moveOn(partition: number, to: IndexedPartition): void {
    const before = this.partitions.get(partition);
    if (before === undefined || comparePlaces(placeOf(to), placeOf(before)) > 0)
      this.partitions.set(partition, to);
  }

  of(topic: HistoryTopic): Entry | undefined {
    return this.topics.get(topicKeyOf(topic));
  }

  deleteTopic(topic: OwnedTopic, to: Place): void {
    const entry = this.entry(topic);
    if (entry === undefined) return;
    const deletedTo = laterOf(entry.deletedTo, to);
    entry.deletedTo = deletedTo;
    entry.messages = entry.messages.filter(({ place }) => !isUpTo(place, deletedTo));
  }

  removeOf(owners: readonly string[]): void {
    for (const owner of owners) this.removed.add(owner);
    for (const [key, { topic }] of this.topics)
      if (ownersOf(topic).some((owner) => this.removed.has(owner))) this.topics.delete(key);
  }

  prune(now: number): number {
    let removed = 0;
    for (const entry of this.topics.values())
      removed += this.remove(entry, ({ latestAt }) => latestAt + entry.bounds.seconds * 1_000 < now);
    return removed;
  }

  /** The oldest ones, as long as they are to be removed. */
  private remove(entry: Entry, isDue: (message: KeptMessage) => boolean): number {
    const first = entry.messages.findIndex((message) => !isDue(message));
    const gone = first < 0 ? entry.messages : entry.messages.slice(0, first);
    const last = gone.at(-1);
    if (last === undefined) return 0;
    entry.messages = entry.messages.slice(gone.length);
    entry.removedTo = last.place;
    return gone.length;
  }

  /** Undefined where its owner has been removed. */
  private entry(topic: OwnedTopic): Entry | undefined {
    if (ownersOf(topic).some((owner) => this.removed.has(owner))) return undefined;
    const key = topicKeyOf(topic);
    const entry = this.topics.get(key) ?? {
      ...{ topic, ids: new RecentIds(), messages: [], bounds: { seconds: Infinity, messages: Infinity } },
      ...{ newest: undefined, removedTo: undefined, deletedTo: undefined },
    };
    this.topics.set(key, entry);
    return entry;
  }
}

const placeOf = ({ epoch, next: offset }: IndexedPartition): Place => ({ epoch, offset });

/** Messages that a reader gets at a time. */
const pageSize = 12;

/** The index as one process has it. */
export const historyIndexPort = (
  process: SimulatedProcess,
  network: Network,
  index: SimulatedHistoryIndex,
): HistoryIndex => {
  const { chance } = network;
  const call = <T>(act: () => T): Promise<T> => network.call(process, 'views', 'message history', act);

  /** Each page is what there is when it is asked for. */
  async function* pages(
    read: (last: KeptMessage | undefined) => readonly KeptMessage[],
  ): AsyncGenerator<readonly KeptMessage[]> {
    for (let last: KeptMessage | undefined; ;) {
      const page = await call(() => read(last).slice(0, pageSize));
      if (page.length > 0) yield page;
      if (page.length < pageSize) return;
      last = page.at(-1);
    }
  }

  const append = async (
    partition: number,
    records: readonly IndexedRecord[],
    to: IndexedPartition,
  ): Promise<void> => {
    // In order, and not in one: readers, other writers and a crash may come between, and before the partition moves on.
    const half = network.isHostile && chance.next() < 0.3 ? chance.below(records.length + 1) : 0;
    if (half > 0)
      await call(() => {
        for (const record of records.slice(0, half)) index.add(to, record);
      });
    await call(() => {
      for (const record of records.slice(half)) index.add(to, record);
      index.moveOn(partition, to);
    });
  };

  return {
    append,
    partition: (partition) => call(() => index.partitions.get(partition)),
    begin: (partition, former, to) => call(() => index.begin(partition, former, to)),
    topic: (topic) =>
      call(() => {
        const entry = index.of(topic);
        const { newest, removedTo, deletedTo } = entry ?? {};
        const all = (): readonly KeptMessage[] => entry?.messages ?? [];
        return {
          ...{ newest, removedTo, deletedTo },
          newestFirst: (before) =>
            pages((last) => {
              const end = last?.place ?? before;
              const isWanted = ({ place }: KeptMessage) => end === undefined || comparePlaces(place, end) < 0;
              return all().filter(isWanted).toReversed();
            }),
          oldestFirst: (after) =>
            pages((last) => all().filter(({ place }) => !isUpTo(place, last?.place ?? after))),
        };
      }),
    deleteTopic: (topic, owners, to) => call(() => index.deleteTopic({ ...topic, ...owners }, to)),
    removeOf: (owners) => call(() => index.removeOf(owners)),
    async *topicsOf(appId) {
      yield await call(() =>
        [...index.topics.values()].map(({ topic }) => topic).filter((topic) => topic.appId === appId),
      );
    },
    prune: (now) => call(() => index.prune(now)),
    checkpoint: () => call(() => index.position),
    origin: () => call(() => index.origin),
    moveCheckpoint: (position, origin) =>
      call(() => {
        index.position = position;
        index.origin = origin;
      }),
    close: async () => undefined,
  };
};
