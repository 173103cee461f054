import { systemClock } from '../system/systemClock.js';
import type { Clock } from '../../ports/clock.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import type {
  Acknowledgement,
  ChannelReader,
  MeasuredBus,
  OnRecord,
  QueueWorker,
  ReadOptions,
  WorkOptions,
} from '../../ports/messageBus.js';
import { versionsOf, type Channel, type Versioned, type WorkQueue } from '../../wire/bus/channel.js';
import { once } from '../../runtime/service.js';
import { ChannelHub, sent } from './channelHub.js';
import { DurableQueue, JobJournal } from './durableQueue.js';
import { JournaledSends, type ChannelJournal } from './journaledSends.js';

export interface EmbeddedMessageBusOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Of one channel: its kept records are stored before anybody gets them. */
  readonly journal?: ChannelJournal;
}

/**
 * Channels within the process: a record is in the hands of every reader before `send` returns, whatever the
 * acknowledgement, unless it or one before it is kept. Work queues on disk.
 */
class EmbeddedMessageBus implements MeasuredBus {
  readonly statistics = {};
  private readonly hubs = new Map<string, ChannelHub<unknown>>();
  private readonly queues = new Map<string, DurableQueue<unknown>>();
  private readonly jobJournal: JobJournal;
  private readonly journaled: JournaledSends | undefined;
  private readonly clock: Clock;
  private readonly logger: Logger | undefined;
  private isOpen = true;

  constructor(jobJournal: JobJournal, { clock = systemClock, logger, journal }: EmbeddedMessageBusOptions) {
    this.jobJournal = jobJournal;
    this.journaled =
      journal &&
      new JournaledSends({
        journal,
        logger,
        deliver: (record, offset) => this.hubs.get(journal.channel)?.send(record, offset),
      });
    this.clock = clock;
    this.logger = logger;
  }

  get reachable(): boolean {
    return this.isOpen && this.jobJournal.isHealthy;
  }

  send<T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement): Promise<number> {
    if (!this.isOpen) return Promise.reject(new EngineUnavailable('message bus'));
    if (channel.name === this.journaled?.channel)
      return this.journaled.send(channel as Channel<unknown>, record, acknowledgement);
    this.hubs.get(channel.name)?.send(record);
    return sent;
  }

  async read<T>(channel: Channel<T>, options: ReadOptions, onRecord: OnRecord<T>): Promise<ChannelReader> {
    this.assertOpen();
    return this.hub(channel).read(options, onRecord);
  }

  async put<T>(queue: WorkQueue<T>, job: T): Promise<void> {
    this.assertOpen();
    return this.queue(queue).put(job);
  }

  async work<T>(
    queue: WorkQueue<T>,
    options: WorkOptions,
    handler: (job: T) => Promise<void>,
  ): Promise<QueueWorker> {
    this.assertOpen();
    return this.queue(queue).work(options, handler);
  }

  versionOf(topic: Versioned): number {
    return versionsOf(topic).newest;
  }

  async lag(): Promise<ReadonlyMap<string, number>> {
    this.assertOpen();
    return new Map([...this.queues].map(([name, queue]) => [name, queue.unfinished]));
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await this.journaled?.idle();
    for (const hub of this.hubs.values()) hub.close();
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    await this.jobJournal.close();
  });

  /** Each name has one type of record; callers guarantee it, not the compiler. */
  private hub<T>(channel: Channel<T>): ChannelHub<T> {
    const known = this.hubs.get(channel.name) as ChannelHub<T> | undefined;
    if (known) return known;
    const { journaled } = this;
    const next = (key: string) => (channel.name === journaled?.channel ? journaled.next(key) : undefined);
    const readerFailed = (error: unknown) =>
      this.logger?.error('A reader failed', { channel: channel.name, error });
    const hub = new ChannelHub(channel, readerFailed, next);
    this.hubs.set(channel.name, hub as ChannelHub<unknown>);
    return hub;
  }

  private queue<T>(queue: WorkQueue<T>): DurableQueue<T> {
    const known = this.queues.get(queue.name) as DurableQueue<T> | undefined;
    if (known) return known;
    const durable = new DurableQueue(queue, this.jobJournal, this.clock, this.logger);
    this.queues.set(queue.name, durable as DurableQueue<unknown>);
    return durable;
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('message bus');
  }
}

/** The bus of one process; its work queues are in `queues.lmdb` in the data folder. */
export const openEmbeddedMessageBus = async (
  folder: { file(name: string): string },
  options: EmbeddedMessageBusOptions = {},
): Promise<MeasuredBus> => new EmbeddedMessageBus(new JobJournal(folder.file('queues.lmdb')), options);
