import { EngineUnavailable } from '../../ports/errors.js';
import type {
  Acknowledgement,
  ChannelReader,
  MeasuredBus,
  OnRecord,
  QueueWorker,
  ReadOptions,
  WorkOptions,
} from '../../ports/messageBus.js';
import { once } from '../../runtime/service.js';
import { versionsOf, type Channel, type Versioned, type WorkQueue } from '../../wire/bus/channel.js';
import { sent } from '../message-bus/channelHub.js';
import { decodeRecord, encodeRecord, type CarriedTexts, type EncodedRecord } from './encodedRecords.js';
import type { ThreadLink } from './threadLink.js';
import { ThreadReader } from './threadReader.js';

/**
 * The bus of another thread, which puts the records of all threads in one order: also those that are sent here come from there. What was sent is
 * handed to the readers of this thread before `send` with `stored` resolves.
 */
export class ThreadMessageBus implements MeasuredBus {
  readonly statistics = {};
  readonly close = once(() => this.closeAll());
  private readonly link: ThreadLink;
  private readonly readers = new Map<number, ThreadReader<unknown>>();
  /** What is sent and not answered yet, by number: it comes back to the readers of this thread without being decoded again. */
  private readonly sends = new Map<number, unknown>();
  private readonly handlers = new Map<number, (job: EncodedRecord) => Promise<void>>();
  private lastId = 0;
  private isOpen = true;

  constructor(link: ThreadLink) {
    this.link = link;
    link.serve('reader', {
      record: (
        id: number,
        carried: CarriedTexts | undefined,
        offset: number,
        next: number | undefined,
        bytes: Uint8Array,
      ) => this.readers.get(id)?.takeEncoded({ bytes, carried }, offset, next),
      own: (id: number, number: number, offset: number, next: number | undefined) =>
        this.readers.get(id)?.take(this.sends.get(number), offset, next),
    });
    link.serve('worker', {
      job: (id: number, carried: CarriedTexts | undefined, bytes: Uint8Array) =>
        this.handlers.get(id)?.({ bytes, carried }),
    });
  }

  get reachable(): boolean {
    return this.isOpen && this.link.isOpen;
  }

  send<T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement): Promise<number> {
    if (!this.reachable) return Promise.reject(new EngineUnavailable('message bus'));
    if (acknowledgement === 'stored') return this.sendStored(channel, record);
    const { bytes, carried } = encodeRecord(channel, record);
    this.link.tellWith(bytes, 'bus', 'send', channel.name, carried);
    return sent;
  }

  async read<T>(channel: Channel<T>, options: ReadOptions, onRecord: OnRecord<T>): Promise<ChannelReader> {
    const id = this.nextId();
    const reader = new ThreadReader(channel, onRecord, {
      subscribe: (key) => this.call('subscribe', id, key),
      unsubscribe: (key) => this.link.tell('bus', 'unsubscribe', id, key),
      close: async () => {
        this.readers.delete(id);
        if (this.reachable) await this.call('endReader', id);
      },
    });
    // Before the other thread knows of it: the first record may come with the answer.
    this.readers.set(id, reader as ThreadReader<unknown>);
    try {
      await this.call('read', channel.name, options, id);
    } catch (error) {
      this.readers.delete(id);
      throw error;
    }
    return reader;
  }

  async put<T>(queue: WorkQueue<T>, job: T): Promise<void> {
    const { bytes, carried } = encodeRecord(queue, job);
    await this.callWith(bytes, 'put', queue.name, carried);
  }

  async work<T>(
    queue: WorkQueue<T>,
    options: WorkOptions,
    handler: (job: T) => Promise<void>,
  ): Promise<QueueWorker> {
    const id = this.nextId();
    this.handlers.set(id, (job) => handler(decodeRecord(queue, job)));
    await this.call('work', queue.name, options, id);
    return {
      close: once(async () => {
        if (this.reachable) await this.call('endWorker', id);
        this.handlers.delete(id);
      }),
    };
  }

  versionOf(topic: Versioned): number {
    return versionsOf(topic).newest;
  }

  lag(): Promise<ReadonlyMap<string, number>> {
    return this.call('lag');
  }

  private async sendStored<T>(channel: Channel<T>, record: T): Promise<number> {
    const { bytes, carried } = encodeRecord(channel, record);
    const number = this.nextId();
    this.sends.set(number, record);
    try {
      return await this.callWith(bytes, 'sendStored', channel.name, carried, number);
    } finally {
      this.sends.delete(number);
    }
  }

  private nextId(): number {
    return (this.lastId += 1);
  }

  private call<T>(method: string, ...given: readonly unknown[]): Promise<T> {
    return this.callWith(undefined, method, ...given);
  }

  private async callWith<T>(
    bytes: Uint8Array | undefined,
    method: string,
    ...given: readonly unknown[]
  ): Promise<T> {
    if (!this.reachable) throw new EngineUnavailable('message bus');
    return this.link.callPortWith<T>(bytes, 'message bus', 'bus', method, ...given);
  }

  private async closeAll(): Promise<void> {
    this.isOpen = false;
    if (this.link.isOpen) await this.link.call('bus', 'close').catch(() => undefined);
    this.readers.clear();
  }
}
