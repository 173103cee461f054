import { JobRequeued } from '../../ports/errors.js';
import type {
  ChannelReader,
  MeasuredBus,
  QueueWorker,
  ReadOptions,
  WorkOptions,
} from '../../ports/messageBus.js';
import { once } from '../../runtime/service.js';
import type { Channel, Versioned, WorkQueue } from '../../wire/bus/channel.js';
import {
  decodeRecord,
  encodeAlone,
  recordLanes,
  unknownNext,
  type CarriedTexts,
  type EncodedRecord,
  type EncodedRecords,
} from './encodedRecords.js';
import { LinkClosed, type ThreadLink } from './threadLink.js';

/** The channels and queues that threads may name. */
export interface NamedTopics {
  readonly channels: readonly Versioned[];
  readonly queues: readonly Versioned[];
}

export interface ServedMessageBusDeps {
  readonly link: ThreadLink;
  readonly bus: MeasuredBus;
  readonly topics: NamedTopics;
  /** One for all threads. */
  readonly encoded: EncodedRecords;
  /** What else an acknowledged record has to wait for, once the bus has stored it. */
  readonly stored?: (channel: string, record: object) => Promise<void> | undefined;
}

type AnyRecord = object;
type Carried = CarriedTexts | undefined;

/** The bus of this thread, for another one: see `ThreadMessageBus`. */
export class ServedMessageBus {
  /** Ends what the other thread reads and works on. Also where it has died. */
  readonly close = once(() => this.closeAll());
  private readonly deps: ServedMessageBusDeps;
  private readonly channels: ReadonlyMap<string, Channel<AnyRecord>>;
  private readonly queues: ReadonlyMap<string, WorkQueue<AnyRecord>>;
  private readonly readers = new Map<number, ChannelReader>();
  private readonly workers = new Map<number, QueueWorker>();
  private readonly sending = new Set<Promise<unknown>>();
  /** The calls with which the other thread has sent records, and still has them: it is told the call, and not the record. */
  private readonly calls = new Map<object, number>();
  private readonly numbered = new Map<number, Channel<AnyRecord>>();
  private isOpen = true;

  constructor(deps: ServedMessageBusDeps) {
    this.deps = deps;
    this.channels = byName(deps.topics.channels);
    this.queues = byName(deps.topics.queues);
    deps.link.serveLane(recordLanes.send, ([channel], bytes, carried) =>
      this.send(channel, { bytes, carried: carried as Carried }),
    );
    deps.link.serveLane(recordLanes.sendStored, ([call, channel], bytes, carried) =>
      this.sendStored(call, channel, { bytes, carried: carried as Carried }),
    );
    deps.link.serve('bus', {
      number: (channel: string, number: number) => void this.numbered.set(number, this.channel(channel)),
      read: (channel: string, options: ReadOptions, id: number) => this.read(channel, options, id),
      subscribe: (id: number, key: string) => this.subscribe(id, key),
      unsubscribe: (id: number, key: string) => this.readers.get(id)?.unsubscribe(key),
      endReader: (id: number) => this.endReader(id),
      put: (queue: string, job: EncodedRecord) => this.put(queue, job),
      work: (queue: string, options: WorkOptions, id: number) => this.work(queue, options, id),
      endWorker: (id: number) => this.endWorker(id),
      lag: () => deps.bus.lag(),
      close: () => this.close(),
    });
  }

  private async send(number: number, given: EncodedRecord): Promise<void> {
    const channel = required(this.numbered.get(number), String(number));
    await this.deps.bus.send(channel, this.deps.encoded.decoded(channel, given), 'none');
  }

  private async sendStored(call: number, number: number, given: EncodedRecord): Promise<number> {
    const { bus, encoded, stored } = this.deps;
    const channel = required(this.numbered.get(number), String(number));
    const record = encoded.decoded(channel, given);
    this.calls.set(record, call);
    const sending = bus.send(channel, record, 'stored');
    this.sending.add(sending);
    try {
      const offset = await sending;
      await stored?.(channel.name, record);
      return offset;
    } finally {
      this.sending.delete(sending);
      this.calls.delete(record);
    }
  }

  private async read(name: string, options: ReadOptions, id: number): Promise<void> {
    const { bus, link, encoded } = this.deps;
    const channel = this.channel(name);
    const reader = await bus.read(channel, options, (record, offset) => {
      const next = this.readers.get(id)?.next(channel.key(record)) ?? unknownNext;
      const call = this.calls.get(record);
      if (call !== undefined) return link.tellLane(recordLanes.own, [id, offset, next, call]);
      const { bytes, carried } = encoded.of(channel, record);
      link.tellLane(recordLanes.record, [id, offset, next, 0], bytes, carried);
    });
    this.readers.set(id, reader);
    if (!this.isOpen) await this.endReader(id);
  }

  /** Resolves with what the reader's `next` says then: what it has handed over is on its way before. */
  private async subscribe(id: number, key: string): Promise<number | undefined> {
    const reader = this.readers.get(id);
    await reader?.subscribe(key);
    return reader?.next(key);
  }

  private async endReader(id: number): Promise<void> {
    const reader = this.readers.get(id);
    this.readers.delete(id);
    await reader?.close();
  }

  private put(name: string, job: EncodedRecord): Promise<void> {
    const queue = this.queue(name);
    return this.deps.bus.put(queue, decodeRecord(queue, job));
  }

  private async work(name: string, options: WorkOptions, id: number): Promise<void> {
    const { bus, link } = this.deps;
    const queue = this.queue(name);
    const worker = await bus.work(queue, options, async (job) => {
      try {
        await link.call('worker', 'job', id, encodeAlone(queue, job));
      } catch (error) {
        throw error instanceof LinkClosed ? new JobRequeued('The thread that did it has ended') : error;
      }
    });
    this.workers.set(id, worker);
    if (!this.isOpen) await this.endWorker(id);
  }

  private async endWorker(id: number): Promise<void> {
    const worker = this.workers.get(id);
    this.workers.delete(id);
    await worker?.close();
  }

  private async closeAll(): Promise<void> {
    this.isOpen = false;
    await Promise.all([...this.readers.keys()].map((id) => this.endReader(id)));
    await Promise.all([...this.workers.keys()].map((id) => this.endWorker(id)));
    await Promise.allSettled(this.sending);
  }

  private channel(name: string): Channel<AnyRecord> {
    return required(this.channels.get(name), name);
  }

  private queue(name: string): WorkQueue<AnyRecord> {
    return required(this.queues.get(name), name);
  }
}

/** Each name has one type of record; whoever names a topic guarantees it, not the compiler. */
const byName = <T>(topics: readonly Versioned[]): ReadonlyMap<string, T> =>
  new Map(topics.map((topic) => [topic.name, topic as unknown as T]));

const required = <T>(topic: T | undefined, name: string): T => {
  if (topic === undefined) throw new TypeError(`No thread may name the topic ${name}`);
  return topic;
};
