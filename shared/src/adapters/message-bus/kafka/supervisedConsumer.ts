import type { Logger } from '../../../ports/logger.js';
import type { GroupConsumer, KafkaClient, RecordBatch } from './kafkaClient.js';
import { requestTimeoutMs } from './kafkaSettings.js';
import { disconnect, pauseBeforeAttempt, within } from './renewableClient.js';
import { sleep } from '../../../runtime/waiting.js';

/** How far a consumer is. */
export interface Progress {
  /** The next offsets of the partitions that are being read. */
  positions(): Promise<ReadonlyMap<number, number>>;
  endOffsets(): Promise<readonly number[]>;
}

export interface Verdicts {
  /** It has had no answer for a while. */
  doubted(): void;
  /** It will not recover. */
  givenUp(why: string): void;
}

const lookEveryMs = 1_000;
/** Counted in looks, not in time: a process that was suspended for a while must not give its consumer up. */
const silentLooksUntilDoubted = 5;
const silentLooksUntilGivenUp = 30;
const looksBetweenProgressChecks = 15;

/**
 * Watches a consumer, which may fall silent, or go on fetching and deliver nothing, both without an error.
 */
export class ConsumerWatch {
  private readonly progress: Progress;
  private readonly verdicts: Verdicts;
  private readonly timer: NodeJS.Timeout;
  private looks = 0;
  private silentLooks = 0;
  /** Partitions with something to read at the last check, and their positions then. */
  private behind: ReadonlyMap<number, number> = new Map();

  constructor(progress: Progress, verdicts: Verdicts) {
    this.progress = progress;
    this.verdicts = verdicts;
    this.timer = setInterval(() => this.look(), lookEveryMs);
  }

  answered(): void {
    this.silentLooks = 0;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    this.looks += 1;
    this.silentLooks += 1;
    if (this.silentLooks >= silentLooksUntilGivenUp) this.verdicts.givenUp('It fell silent');
    else if (this.silentLooks % silentLooksUntilDoubted === 0) this.verdicts.doubted();
    if (this.looks % looksBetweenProgressChecks > 0) return;
    // While the brokers cannot be queried, silence alone decides.
    this.checkProgress().catch(() => undefined);
  }

  /** Two checks, a while apart, find a partition that was behind at the first and has not moved since. */
  async checkProgress(): Promise<void> {
    const ends = await this.progress.endOffsets();
    const positions = [...(await this.progress.positions())];
    const behind = positions.filter(([partition, at]) => (ends[partition] ?? 0) > at);
    const standsStill = behind.some(([partition, at]) => this.behind.get(partition) === at);
    this.behind = new Map(behind);
    if (standsStill) this.verdicts.givenUp('It delivers nothing though there is something to read');
  }
}

export interface ConsumerTask extends Progress {
  readonly topic: string;
  /** Called for every consumer that is created. */
  readonly groupId: () => string;
  /** Where a group begins that has not committed anything. */
  readonly fromBeginning: boolean;
  readonly sessionTimeoutMs: number;
  /** Called before anything is fetched, to seek and to pause: the library has forgotten both. */
  joined(partitions: readonly number[], memberId: string): void;
  take(batch: RecordBatch): void;
  /** A rebalance is about to begin. */
  leaving(): void;
  /** Others get the partitions, unless this process joins again before. */
  left(): void;
  /** A consumer has ended, for this reason, and another one takes its place. */
  replaced?(why: string): void;
}

export interface ConsumerContext {
  readonly client: () => Pick<KafkaClient, 'consumer' | 'bytesRead' | 'cut'>;
  readonly outcome: { answered(): void; doubted(): Promise<boolean> };
  readonly logger: Logger | undefined;
}

interface Running {
  readonly consumer: GroupConsumer;
  readonly client: Pick<KafkaClient, 'bytesRead' | 'cut'>;
  /** Resolves with the reason when it is of no more use. */
  readonly ended: Promise<string>;
  readonly end: (why: string) => void;
  readonly joined: Promise<void>;
  readonly isIn: () => void;
  hasJoined: boolean;
}

/** How long a consumer that is to close waits to join its group, which usually takes milliseconds. */
const joiningMs = 2_000;

/**
 * A consumer that runs until it is closed. The library stops permanently after some errors, restarts without its seeks and pauses
 * after others, and may fall silent: its progress is monitored, and one that has ended or makes no progress is
 * replaced by another, with connections of its own.
 */
export class SupervisedConsumer {
  private readonly task: ConsumerTask;
  private readonly context: ConsumerContext;
  private readonly closing = new AbortController();
  private bytesOfEnded = 0;
  private running: Running | undefined;
  private loop: Promise<void> | undefined;
  private joinedOnce = (): void => undefined;

  constructor(task: ConsumerTask, context: ConsumerContext) {
    this.task = task;
    this.context = context;
  }

  /** Resolves when the group was joined for the first time, however long that takes. */
  start(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.joinedOnce = resolve;
    });
    this.loop = this.keepRunning();
    return joined;
  }

  /** Everything that was received so far. */
  get bytesRead(): number {
    return this.bytesOfEnded + (this.running?.client.bytesRead ?? 0);
  }

  seek(partition: number, offset: number): void {
    this.control((consumer) => consumer.seek(partition, offset));
  }

  pause(partitions: readonly number[]): void {
    if (partitions.length > 0) this.control((consumer) => consumer.pause(partitions));
  }

  resume(partitions: readonly number[]): void {
    if (partitions.length > 0) this.control((consumer) => consumer.resume(partitions));
  }

  async commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    if (!this.running?.hasJoined) throw new Error('There is no consumer to commit with now');
    await within(requestTimeoutMs, this.running.consumer.commit(offsets));
  }

  async close(): Promise<void> {
    this.closing.abort();
    if (this.running) await this.joinedOrEnded(this.running);
    this.running?.end('Closed');
    await this.loop;
  }

  /** A consumer that closes while it joins cannot leave, and the group waits for it. */
  private async joinedOrEnded({ joined, ended }: Running): Promise<void> {
    await within(joiningMs, Promise.race([joined, ended])).catch(() => undefined);
  }

  /** A consumer that has not joined gets seeks and pauses when it joins. */
  private control(what: (consumer: GroupConsumer) => void): void {
    if (!this.running?.hasJoined) return;
    try {
      what(this.running.consumer);
    } catch (error) {
      this.context.logger?.debug('A consumer cannot seek, pause or resume now', { error });
    }
  }

  private async keepRunning(): Promise<void> {
    const { signal } = this.closing;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const { hasJoined } = await this.runOnce();
      if (hasJoined) failures = 1;
      if (!signal.aborted) await sleep(pauseBeforeAttempt(failures), signal);
    }
  }

  private async runOnce(): Promise<Running> {
    const { outcome, logger } = this.context;
    const running = this.build();
    const watch = new ConsumerWatch(this.task, {
      doubted: () => void outcome.doubted(),
      givenUp: running.end,
    });
    this.running = running;
    this.begin(running, watch).catch((error: unknown) => running.end(String(error)));
    const why = await running.ended;
    watch.close();
    this.running = undefined;
    this.task.left();
    await disconnect({ client: running.consumer, cut: running.client.cut });
    this.bytesOfEnded += running.client.bytesRead;
    if (this.closing.signal.aborted) return running;
    this.task.replaced?.(why);
    const { hasJoined } = running;
    const fields = { topic: this.task.topic, why };
    // While the brokers are away this happens to each consumer, every second; that they are has been told.
    void outcome.doubted().then((isReachable) => {
      const what = hasJoined ? 'A Kafka consumer is replaced' : 'A Kafka consumer could not begin';
      logger?.[hasJoined && isReachable ? 'warn' : 'debug'](what, fields);
    });
    return running;
  }

  private build(): Running {
    const client = this.context.client();
    const { topic, fromBeginning, sessionTimeoutMs } = this.task;
    const groupId = this.task.groupId();
    const consumer = client.consumer({ topic, groupId, fromBeginning, sessionTimeoutMs });
    let end = (_why: string): void => undefined;
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    let isIn = (): void => undefined;
    const joined = new Promise<void>((resolve) => {
      isIn = resolve;
    });
    return { consumer, client, ended, end, joined, isIn, hasJoined: false };
  }

  private begin(running: Running, watch: ConsumerWatch): Promise<void> {
    return running.consumer.run({
      joined: (partitions, memberId) => {
        if (this.running !== running) return;
        running.hasJoined = true;
        running.isIn();
        this.task.joined(partitions, memberId);
        this.joinedOnce();
      },
      leaving: () => this.task.leaving(),
      take: (batch) => {
        if (this.running !== running) return false;
        this.take(batch);
        return true;
      },
      answered: () => {
        watch.answered();
        this.context.outcome.answered();
      },
      crashed: running.end,
    });
  }

  /** Must not throw: an error would stop the library, or make it deliver the same batch endlessly. */
  private take(batch: RecordBatch): void {
    try {
      this.task.take(batch);
    } catch (error) {
      this.context.logger?.error('A batch was passed over', { topic: batch.topic, error });
    }
  }
}
