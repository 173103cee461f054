import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type {
  Acknowledgement,
  ChannelReader,
  MeasuredBus,
  OnRecord,
  QueueWorker,
  ReadOptions,
  ReadStatistics,
  WorkOptions,
} from '../../ports/messageBus.js';
import { LiveReaders } from '../../runtime/liveReaders.js';
import { once } from '../../runtime/service.js';
import {
  versionsOf,
  type Channel,
  type RecordCodec,
  type Versioned,
  type WorkQueue,
} from '../../wire/bus/channel.js';
import { readerAnnouncements, type ReaderAnnouncement } from '../../wire/bus/readers.js';
import { systemClock } from '../system/systemClock.js';

export interface VersionedBusOptions {
  readonly clock?: Pick<Clock, 'monotonic'>;
  readonly logger?: Logger | undefined;
  /** Between two announcements. */
  readonly beatMs?: number;
  readonly silenceMs?: number;
  readonly settlingMs?: number;
}

const defaults = { clock: systemClock, beatMs: 3_000, silenceMs: 300_000, settlingMs: 10_000 };

/** Each takes as long as a send may. */
const mostTries = 3;

/**
 * A bus between processes of several releases. It announces what this process reads, before it reads it and every few seconds, and
 * writes records in the newest version that all readers have announced.
 */
export class VersionedBus implements MeasuredBus {
  private readonly bus: MeasuredBus;
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly logger: Logger | undefined;
  private readonly reader = randomUUID();
  private readonly reads = new Map<string, number>();
  private readonly announced = new Map<string, Promise<void>>();
  private readonly live: LiveReaders;
  /** By topic; emptied whenever they may have changed. */
  private readonly versions = new Map<string, number>();
  private readonly beats: NodeJS.Timeout;
  private isListening = false;
  private isSending = false;

  constructor(bus: MeasuredBus, options: VersionedBusOptions = {}) {
    const { clock, beatMs, silenceMs, settlingMs } = { ...defaults, ...options };
    this.bus = bus;
    this.clock = clock;
    this.logger = options.logger;
    this.live = new LiveReaders({ silenceMs, settlingMs, readingMs: (beatMs * 4) / 3 });
    this.reads.set(readerAnnouncements.name, versionsOf(readerAnnouncements).newest);
    this.beats = setInterval(() => void this.beat(), beatMs).unref();
    void this.beat();
  }

  get reachable(): boolean {
    return this.bus.reachable;
  }

  get statistics(): Readonly<Record<string, ReadStatistics>> {
    return this.bus.statistics;
  }

  send<T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement): Promise<number> {
    return this.bus.send(this.written<T, Channel<T>>(channel), record, acknowledgement);
  }

  put<T>(queue: WorkQueue<T>, job: T): Promise<void> {
    return this.bus.put(this.written<T, WorkQueue<T>>(queue), job);
  }

  async read<T>(channel: Channel<T>, options: ReadOptions, onRecord: OnRecord<T>): Promise<ChannelReader> {
    await this.announce(channel);
    return this.bus.read(channel, options, onRecord);
  }

  async work<T>(
    queue: WorkQueue<T>,
    options: WorkOptions,
    handler: (job: T) => Promise<void>,
  ): Promise<QueueWorker> {
    await this.announce(queue);
    return this.bus.work(queue, options, handler);
  }

  versionOf(topic: Versioned): number {
    const { newest, previous } = versionsOf(topic);
    if (newest === previous) return newest;
    const known = this.versions.get(topic.name);
    if (known !== undefined) return known;
    const version = this.live.versionFor(topic.name, { newest, previous }, this.clock.monotonic());
    this.versions.set(topic.name, version);
    return version;
  }

  /** Resolves when the bus has stored that this process reads the topic, for those that read it by other ways than `read`. */
  announce(topic: Versioned): Promise<void> {
    const known = this.announced.get(topic.name);
    if (known !== undefined) return known;
    this.reads.set(topic.name, versionsOf(topic).newest);
    const stored = this.sendAtTheStart().then(
      () => undefined,
      (error: unknown) => {
        this.announced.delete(topic.name);
        throw error;
      },
    );
    this.announced.set(topic.name, stored);
    return stored;
  }

  /** The topic, whose records are encoded in the version of `as`. */
  written<T, C extends Versioned & { readonly codec: RecordCodec<T> }>(topic: C, as: Versioned = topic): C {
    const version = this.versionOf(as);
    if (version === versionsOf(topic).newest) return topic;
    const { codec } = topic;
    return { ...topic, codec: { ...codec, encode: (record: T) => codec.encode(record, version) } };
  }

  lag(): Promise<ReadonlyMap<string, number>> {
    return this.bus.lag();
  }

  readonly close = once(async () => {
    clearInterval(this.beats);
    this.reads.clear();
    await this.sendAnnouncement('none').catch(() => undefined);
    await this.bus.close();
  });

  private async beat(): Promise<void> {
    const silent = this.live.forgetSilent(this.clock.monotonic());
    if (silent.length > 0)
      this.logger?.warn('Readers of the bus have been silent for too long and are taken for dead', {
        silent,
      });
    this.versions.clear();
    if (this.isSending) return;
    this.isSending = true;
    try {
      await this.listen();
      await this.sendAnnouncement();
    } catch (error) {
      // The next beat tries again; until then the versions of the previous release are written.
      this.logger?.debug('What this process reads could not be announced', { error });
    } finally {
      this.isSending = false;
    }
  }

  private async listen(): Promise<void> {
    if (this.isListening) return;
    await this.bus.read(readerAnnouncements, { interest: 'all' }, (announcement) => this.take(announcement));
    this.isListening = true;
  }

  private take({ reader, reads }: ReaderAnnouncement): void {
    const now = this.clock.monotonic();
    if (reader === this.reader) this.live.ownReturned(now);
    this.live.heard(reader, reads, now);
    this.versions.clear();
  }

  /** Brokers that are still making the topics of a new installation must not end the start of its processes. */
  private async sendAtTheStart(): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.sendAnnouncement();
      } catch (error) {
        if (tries === mostTries || !(error instanceof EngineUnavailable)) throw error;
      }
    }
  }

  private sendAnnouncement(acknowledgement: Acknowledgement = 'stored'): Promise<number> {
    const announcement = { reader: this.reader, reads: Object.fromEntries(this.reads) };
    return this.bus.send(readerAnnouncements, announcement, acknowledgement);
  }
}
