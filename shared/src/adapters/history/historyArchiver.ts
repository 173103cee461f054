import { acceptedAt } from '../../wire/bus/messageId.js';
import { liveMessages } from '../../wire/bus/liveMessage.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { MetricSink } from '../../ports/metrics.js';
import { once, type Service } from '../../runtime/service.js';
import { sleep } from '../../runtime/waiting.js';
import type { ChannelPartitions } from '../message-bus/kafka/channelPartitions.js';
import type { GroupBatch, GroupFollower, GroupReading } from '../message-bus/kafka/groupReader.js';
import type { KafkaGroups } from '../message-bus/kafka/kafkaMessageBus.js';
import { keptRecordOf } from './keptRecords.js';
import { PartitionArchive, type ArchiveReport, type PartitionArchiveDeps } from './partitionArchive.js';

export interface HistoryArchiverDeps {
  readonly follow: KafkaGroups['follow'];
  /** Of `messages`. */
  readonly partitions: Pick<ChannelPartitions, 'count' | 'bounds'>;
  readonly index: PartitionArchiveDeps['index'];
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly saveEveryMs?: number;
  readonly checkEveryMs?: number;
}

const group = 'history';
const defaults = { saveEveryMs: 1_000, checkEveryMs: 10_000 };
/** Of messages that wait for the index: nothing more is fetched until less than a half waits. */
const maxWaitingBytes = 16 * 1024 * 1024;
const overheadBytes = 500;
const betweenTriesMs = 1_000;

/**
 * Follows `messages` as a member of the group `roomwire.history.messages`, and brings what is kept into the index. The index alone says where
 * reading continues: what is read again is there once.
 */
export class HistoryArchiver implements Service {
  private readonly deps: HistoryArchiverDeps;
  private readonly archives = new Map<number, PartitionArchive>();
  /** By partition, from where it was to be read when it was assigned. */
  private readonly asked = new Map<number, number>();
  /** By partition, where the index was when it was last asked. */
  private indexed: readonly number[] = [];
  private reading: GroupReading | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly closing = new AbortController();
  private isRestartDue = false;
  private isPaused = false;
  private waitingBytes = 0;
  private archived = 0;
  private failures = 0;
  private epochs = 0;

  constructor(deps: HistoryArchiverDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    this.running = this.run();
  }

  readonly close = once(async () => {
    this.closing.abort();
    await this.running;
    this.reading?.pause();
    await Promise.all([...this.archives.values()].map((archive) => archive.end()));
    await this.reading?.close();
  });

  readonly collect = (sink: MetricSink): void => {
    const oldest = [...this.archives.values()].flatMap(({ oldest }) => oldest ?? []);
    const since = Math.min(...oldest.map(({ message }) => acceptedAt(message.id)));
    const delayMs = oldest.length === 0 ? 0 : Math.max(0, this.deps.clock.now() - since);
    sink.value('roomwire_history_archived_messages_total', this.archived);
    sink.value('roomwire_history_archive_delay_seconds', delayMs / 1_000);
    sink.value('roomwire_history_archive_failures_total', this.failures);
    sink.value('roomwire_history_epochs_begun_total', this.epochs);
  };

  private get isOpen(): boolean {
    return !this.closing.signal.aborted;
  }

  private async run(): Promise<void> {
    const { saveEveryMs, checkEveryMs } = { ...defaults, ...this.deps };
    let sinceCheck = 0;
    while (this.isOpen) {
      const isFollowing = await this.untilFollowing();
      await sleep(isFollowing ? saveEveryMs : betweenTriesMs, this.closing.signal);
      this.save();
      sinceCheck += saveEveryMs;
      if (sinceCheck < checkEveryMs) continue;
      sinceCheck = 0;
      await this.check();
    }
  }

  /** Follows, anew where that has become necessary. */
  private async untilFollowing(): Promise<boolean> {
    try {
      if (this.isRestartDue) await this.stopFollowing();
      if (this.reading !== undefined) return true;
      await this.askIndex();
      this.reading = await this.deps.follow(liveMessages, group, this.follower);
      return true;
    } catch (error) {
      this.failures += 1;
      this.deps.logger.debug('The messages to archive cannot be followed', { error });
      return false;
    }
  }

  private async stopFollowing(): Promise<void> {
    const reading = this.reading;
    this.reading = undefined;
    await reading?.close();
    await Promise.all([...this.archives.values()].map((archive) => archive.end()));
    this.archives.clear();
    this.isRestartDue = false;
    this.isPaused = false;
  }

  /**
   * For partitions that are assigned later: others may have archived them until then. Of those that the index does not know it is the first
   * record: not what was committed for the group, by archivers of another index.
   */
  private async askIndex(): Promise<void> {
    const { partitions, index } = this.deps;
    const startOf = async (partition: number): Promise<number> =>
      (await index.partition(partition))?.next ?? (await partitions.bounds(partition)).low;
    this.indexed = await Promise.all(Array.from({ length: partitions.count }, (_, n) => startOf(n)));
  }

  private save(): void {
    for (const archive of this.archives.values()) archive.save();
    const offsets = [...this.archives].flatMap(([partition, { next }]) =>
      next === undefined ? [] : [[partition, next] as const],
    );
    this.reading?.commit(new Map(offsets)).catch((error: unknown) => {
      this.deps.logger.debug('Offsets could not be committed', { error });
    });
  }

  private async check(): Promise<void> {
    try {
      await this.askIndex();
      const checked = await Promise.all([...this.archives.values()].map((archive) => archive.check()));
      if (checked.includes(true)) this.isRestartDue = true;
    } catch (error) {
      this.deps.logger.debug('It cannot be told whether all messages are archived', { error });
    }
  }

  private readonly follower: GroupFollower = {
    nextOffset: (partition) => {
      const from = this.indexed[partition];
      if (from !== undefined) this.asked.set(partition, from);
      this.open(partition);
      return from;
    },
    take: (batch) => this.take(batch),
    lost: (partition) => {
      void this.archives.get(partition)?.end();
      this.archives.delete(partition);
    },
    cut: () => {
      this.isRestartDue = true;
    },
  };

  private readonly report: ArchiveReport = {
    archived: (messages) => void (this.archived += messages),
    failed: () => void (this.failures += 1),
    epochBegun: () => void (this.epochs += 1),
    settled: (bytes) => {
      this.waitingBytes -= bytes;
      if (!this.isPaused || this.waitingBytes > maxWaitingBytes / 2) return;
      this.isPaused = false;
      this.reading?.resume();
    },
    begun: (partition, next) => {
      if ((this.asked.get(partition) ?? 0) > next) this.isRestartDue = true;
    },
  };

  private open(partition: number): PartitionArchive {
    const { index, partitions, clock, logger } = this.deps;
    const known = this.archives.get(partition);
    if (known) return known;
    const archive = new PartitionArchive({
      ...{ partition, index, clock, logger, report: this.report },
      bounds: () => partitions.bounds(partition),
    });
    this.archives.set(partition, archive);
    return archive;
  }

  private take({ partition, first, messages, next }: GroupBatch): void {
    const records = messages.flatMap((record) => keptRecordOf(record, this.deps.logger) ?? []);
    const bytes = records.reduce((sum, { message }) => sum + message.body.length + overheadBytes, 0);
    this.waitingBytes += bytes;
    this.open(partition).take({ first, records, next, bytes });
    if (this.isPaused || this.waitingBytes <= maxWaitingBytes) return;
    this.isPaused = true;
    this.reading?.pause();
  }
}
