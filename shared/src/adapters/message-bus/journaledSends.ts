import type { Logger } from '../../ports/logger.js';
import { unknownOffset, type Acknowledgement } from '../../ports/messageBus.js';
import type { Channel } from '../../wire/bus/channel.js';
import { sent } from './channelHub.js';
import { FifoQueue } from './fifoQueue.js';

/** Stores some records of a channel. */
export interface ChannelJournal {
  /** The name of the channel. */
  readonly channel: string;
  isKept(record: unknown): boolean;
  /** What is appended from now on has this offset or a higher one. */
  readonly next: number;
  /**
   * Resolves with the offset under which it is stored, in the order of the calls, which is that of the offsets. Rejects with
   * `EngineUnavailable`.
   */
  append(record: unknown): Promise<number>;
}

export interface JournaledSendsDeps {
  readonly journal: ChannelJournal;
  readonly deliver: (record: unknown, offset: number) => void;
  readonly logger: Logger | undefined;
}

interface Waiting {
  readonly record: unknown;
  /** Undefined until it is stored. Those that are not kept have none to wait for. */
  offset: number | undefined;
  isRefused: boolean;
  readonly settle: { stored(offset: number): void; failed(error: unknown): void } | undefined;
}

interface Lane {
  readonly waiting: FifoQueue<Waiting>;
  /** What waits has this offset or a higher one, where it has any. */
  next: number;
}

const offsetOfOthers = 0;

/** Kept records are stored first and delivered then. What else is sent with their keys meanwhile waits behind them. */
export class JournaledSends {
  private readonly deps: JournaledSendsDeps;
  /** By key, in the order of the sends. */
  private readonly lanes = new Map<string, Lane>();
  private lost = 0;
  private settled: (() => void)[] = [];

  constructor(deps: JournaledSendsDeps) {
    this.deps = deps;
  }

  get channel(): string {
    return this.deps.journal.channel;
  }

  send({ key: keyOf }: Channel<unknown>, record: unknown, acknowledgement: Acknowledgement): Promise<number> {
    const isKept = this.deps.journal.isKept(record);
    if (!isKept && (this.lanes.size === 0 || !this.lanes.has(keyOf(record)))) {
      this.deps.deliver(record, offsetOfOthers);
      return sent;
    }
    if (acknowledgement === 'none') {
      this.enqueue(keyOf(record), record, isKept, undefined);
      return sent;
    }
    return new Promise((stored, failed) => this.enqueue(keyOf(record), record, isKept, { stored, failed }));
  }

  /** Records with the key that are not delivered yet, and are kept, have this offset or a higher one; those that are delivered a lower one. */
  next(key: string): number {
    return this.lanes.get(key)?.next ?? this.deps.journal.next;
  }

  /** Resolves when everything that was sent is delivered or refused. */
  async idle(): Promise<void> {
    if (this.lanes.size > 0) await new Promise<void>((resolve) => this.settled.push(resolve));
  }

  private enqueue(key: string, record: unknown, isKept: boolean, settle: Waiting['settle']): void {
    const lane = this.lanes.get(key) ?? {
      waiting: new FifoQueue<Waiting>(),
      next: this.deps.journal.next,
    };
    this.lanes.set(key, lane);
    const waiting: Waiting = {
      ...{ record, settle, isRefused: false },
      offset: isKept ? undefined : offsetOfOthers,
    };
    lane.waiting.push(waiting);
    if (isKept) void this.store(key, lane, waiting);
  }

  private async store(key: string, lane: Lane, waiting: Waiting): Promise<void> {
    try {
      waiting.offset = await this.deps.journal.append(waiting.record);
    } catch (error) {
      waiting.isRefused = true;
      if (waiting.settle) waiting.settle.failed(error);
      else this.lose(error);
    }
    this.advance(key, lane);
  }

  private advance(key: string, lane: Lane): void {
    for (let { first } = lane.waiting; first; { first } = lane.waiting) {
      const { record, offset, isRefused, settle } = first;
      if (offset === undefined && !isRefused) return;
      lane.waiting.shift();
      if (offset === undefined) continue;
      const isKept = this.deps.journal.isKept(record);
      if (isKept) lane.next = offset + 1;
      this.deps.deliver(record, offset);
      settle?.stored(isKept ? offset : unknownOffset);
    }
    this.lanes.delete(key);
    if (this.lanes.size === 0) for (const resolve of this.settled.splice(0)) resolve();
  }

  private lose(error: unknown): void {
    // Logged once per power of ten, since there may be thousands per second.
    this.lost += 1;
    if (/^10*$/.test(String(this.lost)))
      this.deps.logger?.error('Messages could not be kept and are lost', { lost: this.lost, error });
  }
}
