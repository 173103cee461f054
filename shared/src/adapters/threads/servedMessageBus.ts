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
import { decodeRecord, encodeRecord, type CarriedTexts, type EncodedRecords } from './encodedRecords.js';
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
  /** What the other thread waits for, and has still: it is told the number, and not the record. */
  private readonly numbers = new Map<object, number>();
  private isOpen = true;

  constructor(deps: ServedMessageBusDeps) {
    this.deps = deps;
    this.channels = byName(deps.topics.channels);
    this.queues = byName(deps.topics.queues);
    deps.link.serve('bus', {
      send: (channel: string, carried: Carried, bytes: Uint8Array) => this.send(channel, carried, bytes),
      sendStored: (channel: string, carried: Carried, number: number, bytes: Uint8Array) =>
        this.sendStored(channel, carried, number, bytes),
      read: (channel: string, options: ReadOptions, id: number) => this.read(channel, options, id),
      subscribe: (id: number, key: string) => this.subscribe(id, key),
      unsubscribe: (id: number, key: string) => this.readers.get(id)?.unsubscribe(key),
      endReader: (id: number) => this.endReader(id),
      put: (queue: string, carried: Carried, bytes: Uint8Array) => this.put(queue, carried, bytes),
      work: (queue: string, options: WorkOptions, id: number) => this.work(queue, options, id),
      endWorker: (id: number) => this.endWorker(id),
      lag: () => deps.bus.lag(),
      close: () => this.close(),
    });
  }

  private async send(name: string, carried: Carried, bytes: Uint8Array): Promise<void> {
    const channel = this.channel(name);
    await this.deps.bus.send(channel, this.deps.encoded.decoded(channel, { bytes, carried }), 'none');
  }

  private async sendStored(
    name: string,
    carried: Carried,
    number: number,
    bytes: Uint8Array,
  ): Promise<number> {
    const { bus, encoded, stored } = this.deps;
    const channel = this.channel(name);
    const record = encoded.decoded(channel, { bytes, carried });
    this.numbers.set(record, number);
    const sending = bus.send(channel, record, 'stored');
    this.sending.add(sending);
    try {
      const offset = await sending;
      await stored?.(name, record);
      return offset;
    } finally {
      this.sending.delete(sending);
      this.numbers.delete(record);
    }
  }

  private async read(name: string, options: ReadOptions, id: number): Promise<void> {
    const { bus, link, encoded } = this.deps;
    const channel = this.channel(name);
    const reader = await bus.read(channel, options, (record, offset) => {
      const next = this.readers.get(id)?.next(channel.key(record));
      const number = this.numbers.get(record);
      if (number !== undefined) return link.tell('reader', 'own', id, number, offset, next);
      const { bytes, carried } = encoded.of(channel, record);
      link.tellWith(bytes, 'reader', 'record', id, carried, offset, next);
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

  private put(name: string, carried: Carried, bytes: Uint8Array): Promise<void> {
    const queue = this.queue(name);
    return this.deps.bus.put(queue, decodeRecord(queue, { bytes, carried }));
  }

  private async work(name: string, options: WorkOptions, id: number): Promise<void> {
    const { bus, link } = this.deps;
    const queue = this.queue(name);
    const worker = await bus.work(queue, options, async (job) => {
      try {
        const { bytes, carried } = encodeRecord(queue, job);
        await link.callWith(bytes, 'worker', 'job', id, carried);
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
