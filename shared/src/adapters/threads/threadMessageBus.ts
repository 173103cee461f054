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
import {
  decodeRecord,
  encodeAlone,
  encodeRecord,
  recordLanes,
  type CarriedTexts,
  type EncodedRecord,
} from './encodedRecords.js';
import { ofPort, type ThreadLink } from './threadLink.js';
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
  /** Channels by their names, as the other thread has been told. */
  private readonly numbers = new Map<string, number>();
  private readonly handlers = new Map<number, (job: EncodedRecord) => Promise<void>>();
  private lastId = 0;
  private isOpen = true;

  constructor(link: ThreadLink) {
    this.link = link;
    link.serveLane(recordLanes.record, ([id, offset, next], bytes, carried) =>
      this.readers.get(id)?.takeEncoded({ bytes, carried: carried as CarriedTexts }, offset, next),
    );
    // What this thread has sent, and waits for, is here still.
    link.serveLane(recordLanes.own, ([id, offset, next, call]) =>
      this.readers.get(id)?.take(link.subjectOf(call), offset, next),
    );
    link.serve('worker', { job: (id: number, job: EncodedRecord) => this.handlers.get(id)?.(job) });
  }

  get reachable(): boolean {
    return this.isOpen && this.link.isOpen;
  }

  send<T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement): Promise<number> {
    if (!this.reachable) return Promise.reject(new EngineUnavailable('message bus'));
    const { bytes, carried } = encodeRecord(channel, record);
    const number = this.numberOf(channel);
    if (acknowledgement === 'stored')
      return ofPort(
        'message bus',
        this.link.callLane(recordLanes.sendStored, number, bytes, carried, record),
      );
    this.link.tellLane(recordLanes.send, [number, 0, 0, 0], bytes, carried);
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
    await this.call('put', queue.name, encodeAlone(queue, job));
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

  private numberOf({ name }: Versioned): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(name, number);
    this.link.tell('bus', 'number', name, number);
    return number;
  }

  private nextId(): number {
    return (this.lastId += 1);
  }

  private async call<T>(method: string, ...given: readonly unknown[]): Promise<T> {
    if (!this.reachable) throw new EngineUnavailable('message bus');
    return this.link.callPort<T>('message bus', 'bus', method, ...given);
  }

  private async closeAll(): Promise<void> {
    this.isOpen = false;
    if (this.link.isOpen) await this.link.call('bus', 'close').catch(() => undefined);
    this.readers.clear();
  }
}
