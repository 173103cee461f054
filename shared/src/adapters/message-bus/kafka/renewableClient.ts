import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '../../../ports/errors.js';
import { backOffMs, withTimeout } from '../../../runtime/waiting.js';
import { refusalOf, type Connectable } from './kafkaClient.js';

/** Rejects with `EngineUnavailable` after the time-out; the action itself continues. */
export const within = <T>(milliseconds: number, action: Promise<T>): Promise<T> =>
  withTimeout(milliseconds, action, () => {
    throw new EngineUnavailable('message bus');
  });

/** Short, so that work resumes soon after a broker is back; few clients retry. */
const betweenAttempts = { firstMs: 50, longestMs: 500 };

export const pauseBeforeAttempt = (failures: number): number => backOffMs(betweenAttempts, failures);

/** A failure that a retry cannot overcome. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError';
}

/** Errors that a retry would not resolve. */
const permanent = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

/** Whether an error is an answer of the brokers, and not the lack of one. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof PermanentError ||
  (error instanceof Error && (permanent.has(refusalOf(error) ?? '') || isAnswer(error.cause)));

/** A partition without a leader. */
export class PartitionUnavailable extends Error {
  override readonly name = 'PartitionUnavailable';

  constructor(topic: string, partition: number) {
    super(`Partition ${partition} of ${topic} has no leader`);
  }
}

const errorsOfPartitions = new Set([
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'KAFKA_STORAGE_ERROR',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'OFFSET_NOT_AVAILABLE',
]);

/** Whether one partition is to blame: a broker has answered, and the client is as good as before. */
export const isOfPartition = (error: unknown): boolean =>
  error instanceof PartitionUnavailable ||
  (error instanceof Error && (errorsOfPartitions.has(refusalOf(error) ?? '') || isOfPartition(error.cause)));

/** Tries until it succeeds; past the time, rejects with `EngineUnavailable`. */
export const untilAnswered = async <T>(attempt: () => Promise<T>, withinMs: number): Promise<T> => {
  const deadline = performance.now() + withinMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (cause) {
      if (isAnswer(cause) || cause instanceof EngineUnavailable) throw cause;
      if (performance.now() > deadline) throw new EngineUnavailable('message bus', { cause });
      await pause(pauseBeforeAttempt(failures));
    }
  }
};

/** Waits for promises that may never settle: each wait is bounded, and all of them end when the client is given up. */
class BoundedWaits {
  private readonly longestMs: number;
  private readonly waiting = new Set<(why: string) => void>();

  constructor(longestMs: number) {
    this.longestMs = longestMs;
  }

  /** Rejects after the time-out; the action itself continues. */
  for<T>(action: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (why: string): void => {
        clearTimeout(tooLate);
        this.waiting.delete(end);
        reject(new Error(why));
      };
      const tooLate = setTimeout(end, this.longestMs, 'It took too long');
      this.waiting.add(end);
      void action.then(resolve, reject).finally(() => {
        clearTimeout(tooLate);
        this.waiting.delete(end);
      });
    });
  }

  end(why: string): void {
    for (const end of this.waiting) end(why);
  }
}

export interface Held<Client> {
  readonly client: Client;
  /** Closes its connections in any state. */
  readonly cut: () => void;
}

/** Called for every use, but only once per failed client. */
export interface Outcome {
  answered(): void;
  failed(error: unknown): void;
}

interface InUse<Client extends Connectable> extends Held<Client> {
  readonly connected: Promise<void>;
  readonly waits: BoundedWaits;
}

const disconnectMs = 2_000;
/** Of a few requests; the library bounds each, but has ways to lose one. */
const longestUseMs = 20_000;

/** Disconnects a client; where the brokers do not answer, its connections are cut. */
export const disconnect = async ({ client, cut }: Held<Pick<Connectable, 'disconnect'>>): Promise<void> => {
  await withTimeout(
    disconnectMs,
    client.disconnect().catch(() => undefined),
    () => undefined,
  );
  cut();
};

/**
 * A connected client. It is created when it is first needed, and again after a failure: what a client of the library
 * remembers of a broker that went away is the source of most of its silent stalls. No use of it outlives it: those
 * that wait for an answer when it is cut fail, also where the library has forgotten them.
 */
export class Renewable<Client extends Connectable> {
  private readonly make: () => Held<Client>;
  private readonly outcome: Outcome;
  private readonly longestUseMs: number;
  private inUse: InUse<Client> | undefined;
  private isOpen = true;

  constructor(make: () => Held<Client>, outcome: Outcome, longestMs = longestUseMs) {
    this.make = make;
    this.outcome = outcome;
    this.longestUseMs = longestMs;
  }

  async current(): Promise<Client> {
    const { client } = await this.connected();
    return client;
  }

  async close(): Promise<void> {
    this.isOpen = false;
    if (this.inUse) await end(this.inUse);
  }

  /** For callers that retry themselves. */
  async use<T>(action: (client: Client) => Promise<T>): Promise<T> {
    const inUse = await this.connected();
    try {
      const result = await inUse.waits.for(action(inUse.client));
      this.outcome.answered();
      return result;
    } catch (error) {
      if (isOfPartition(error)) this.outcome.answered();
      else if (!isAnswer(error)) this.giveUp(inUse, error);
      throw error;
    }
  }

  private async connected(): Promise<InUse<Client>> {
    if (!this.isOpen) throw new EngineUnavailable('message bus');
    const inUse = (this.inUse ??= this.connect());
    await inUse.connected;
    return inUse;
  }

  private connect(): InUse<Client> {
    const held = this.make();
    const waits = new BoundedWaits(this.longestUseMs);
    const inUse = { ...held, waits, connected: waits.for(held.client.connect()) };
    inUse.connected.catch((error: unknown) => this.giveUp(inUse, error));
    return inUse;
  }

  /** Other uses of it may still succeed; a failure of a client that was given up before says nothing new. */
  private giveUp(inUse: InUse<Client>, error: unknown): void {
    if (this.inUse !== inUse) return;
    this.inUse = undefined;
    this.outcome.failed(error);
    void end(inUse);
  }
}

const end = async <Client extends Connectable>(inUse: InUse<Client>): Promise<void> => {
  await disconnect(inUse);
  inUse.waits.end('The client was given up');
};
