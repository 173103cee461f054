import type { ConnectionRecord } from '../../ports/connectionRecord.js';
import type { Logger } from '../../ports/logger.js';
import type { MetricSink } from '../../ports/metrics.js';
import { Outage } from '../../runtime/outage.js';
import { once, type Service } from '../../runtime/service.js';
import { sleep } from '../../runtime/waiting.js';
import { connectionFacts, type FactBatch } from '../../wire/bus/connectionFacts.js';
import type { ChannelPartitions } from '../message-bus/kafka/channelPartitions.js';
import type { GroupBatch, GroupFollower, GroupReading } from '../message-bus/kafka/groupReader.js';
import type { KafkaGroups } from '../message-bus/kafka/kafkaMessageBus.js';

export interface FactIndexerDeps {
  readonly follow: KafkaGroups['follow'];
  /** Of the channel of connection facts. */
  readonly partitions: Pick<ChannelPartitions, 'bounds'>;
  readonly record: Pick<ConnectionRecord, 'write' | 'nextOffset' | 'moveOffset' | 'resetOffset'>;
  readonly logger: Logger;
  readonly betweenTriesMs?: number;
  /** Between two questions to the record where it is, while another process has the partition. */
  readonly askEveryMs?: number;
}

const group = 'connections';
const partition = 0;
/** Batches that wait for the record: nothing more is fetched until less than a half waits. */
const mostWaiting = 100;
const atOnce = 50;

interface Waiting {
  /** Undefined for one that cannot be read, which leaves a gap. */
  readonly batch: FactBatch | undefined;
  readonly next: number;
}

/**
 * Follows the facts of connections as the one member of the group that has the partition, and brings them into the record, which alone says where
 * reading continues: what is read again is there once.
 */
export class FactIndexer implements Service {
  private readonly deps: FactIndexerDeps;
  private readonly closing = new AbortController();
  private readonly outage: Outage;
  private reading: GroupReading | undefined;
  private waiting: Waiting[] = [];
  private running: Promise<void> = Promise.resolve();
  private from: number | undefined;
  private askedAt = 0;
  /** Others may have brought the record further between the last question and the assignment. */
  private isAssignmentUnchecked = false;
  /** Where the record was when it was assigned last; undefined while another process has it. */
  private assigned: { readonly assignment: number } | undefined;
  private assignments = 0;
  private next: number | undefined;
  private isPaused = false;
  private isRestartDue = false;
  private indexed = 0;
  private failures = 0;

  constructor(deps: FactIndexerDeps) {
    this.deps = deps;
    this.outage = new Outage({
      logger: deps.logger,
      lost: 'Facts of connections cannot be brought into the record; retrying',
      back: 'Facts of connections are brought into the record again',
    });
  }

  async start(): Promise<void> {
    this.running = this.run();
  }

  readonly close = once(async () => {
    this.closing.abort();
    await this.running;
    await this.reading?.close();
  });

  readonly collect = (sink: MetricSink): void => {
    sink.value('roomwire_connection_facts_indexed_total', this.indexed);
    sink.value('roomwire_connection_record_failures_total', this.failures);
  };

  /** Whether this process has brought everything into the record that was on the bus a moment ago. Rejects with `EngineUnavailable`. */
  async isCaughtUp(): Promise<boolean> {
    const { high } = await this.deps.partitions.bounds(partition);
    return this.assigned !== undefined && this.waiting.length === 0 && (this.next ?? 0) >= high;
  }

  private async run(): Promise<void> {
    const { betweenTriesMs = 500 } = this.deps;
    while (!this.closing.signal.aborted) {
      try {
        await this.follow();
        while (this.hasWork) await this.bringIn();
        this.outage.over();
      } catch (error) {
        this.failures += 1;
        this.outage.failed(error);
      }
      await sleep(betweenTriesMs, this.closing.signal);
    }
  }

  private get hasWork(): boolean {
    return this.waiting.length > 0 && !this.isAssignmentUnchecked && !this.closing.signal.aborted;
  }

  private async follow(): Promise<void> {
    if (this.reading !== undefined) await this.checkPlace();
    if (this.isRestartDue) await this.stopFollowing();
    if (this.reading !== undefined) return;
    await this.askRecord();
    this.reading = await this.deps.follow(connectionFacts, group, this.follower);
  }

  /** While another process has the partition, it moves the record on, for days. */
  private async checkPlace(): Promise<void> {
    const { assigned, from, isAssignmentUnchecked } = this;
    const { askEveryMs = 10_000 } = this.deps;
    const isStandbyDue = assigned === undefined && performance.now() - this.askedAt >= askEveryMs;
    if (!isAssignmentUnchecked && !isStandbyDue) return;
    await this.askRecord();
    if (this.assigned !== assigned || !isAssignmentUnchecked) return;
    this.isAssignmentUnchecked = false;
    if ((this.from ?? 0) > (from ?? 0)) this.isRestartDue = true;
  }

  /** The record may be behind what is there, or ahead of a topic that was made again. */
  private async askRecord(): Promise<void> {
    const { record, partitions } = this.deps;
    const [known, { low, high }] = [await record.nextOffset(), await partitions.bounds(partition)];
    if (known !== undefined && known > high) await record.resetOffset(known, low);
    this.from = known === undefined || known > high ? low : Math.max(known, low);
    this.askedAt = performance.now();
  }

  private async stopFollowing(): Promise<void> {
    const { reading } = this;
    [this.reading, this.assigned] = [undefined, undefined];
    await reading?.close();
    // Behind it, since what is lost by closing is no reason to begin once more.
    [this.isRestartDue, this.isPaused, this.waiting] = [false, false, []];
  }

  private async bringIn(): Promise<void> {
    const { record } = this.deps;
    const { assigned } = this;
    const some = this.waiting.slice(0, atOnce);
    const batches = some.flatMap(({ batch }) => batch ?? []);
    await record.write(batches);
    const next = some.at(-1)?.next;
    if (next !== undefined) await record.moveOffset(next);
    if (this.assigned !== assigned) return;
    this.indexed += batches.reduce((sum, { facts }) => sum + facts.length, 0);
    this.waiting.splice(0, some.length);
    if (next === undefined) return;
    await this.reading?.commit(new Map([[partition, next]])).catch(() => undefined);
    if (!this.isPaused || this.waiting.length > mostWaiting / 2) return;
    this.isPaused = false;
    this.reading?.resume();
  }

  private readonly follower: GroupFollower = {
    nextOffset: () => {
      this.waiting = [];
      this.next = this.from;
      this.assigned = { assignment: ++this.assignments };
      this.isAssignmentUnchecked = true;
      return this.from;
    },
    take: (batch) => this.take(batch),
    lost: () => {
      // Others may bring it further meanwhile: the record is asked again before more is read.
      [this.waiting, this.assigned, this.isRestartDue] = [[], undefined, true];
    },
    cut: () => {
      this.isRestartDue = true;
    },
  };

  private take({ messages, next }: GroupBatch): void {
    for (const { value, offset } of messages)
      this.waiting.push({ batch: this.read(value), next: Number(offset) + 1 });
    const last = this.waiting.at(-1);
    if (last !== undefined) this.waiting[this.waiting.length - 1] = { ...last, next };
    this.next = next;
    if (this.isPaused || this.waiting.length <= mostWaiting) return;
    this.isPaused = true;
    this.reading?.pause();
  }

  /** The number of one that a later version has written in another form is missing, which is a gap. */
  private read(value: Uint8Array | null): FactBatch | undefined {
    try {
      return connectionFacts.codec.decode(value ?? new Uint8Array());
    } catch (error) {
      this.deps.logger.error('Facts of connections cannot be read', { error });
      return undefined;
    }
  }
}
