import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '../../../ports/errors.js';
import { backOffMs, withTimeout } from '../../../runtime/waiting.js';

/** Rejects with `EngineUnavailable` when it takes longer; what is waited for goes on all the same. */
export const within = <T>(milliseconds: number, action: Promise<T>): Promise<T> =>
  withTimeout(milliseconds, action, () => {
    throw new EngineUnavailable('message bus');
  });

/** Short, so that work goes on soon after a broker is back; the number of those who try is small. */
const betweenAttempts = { firstMs: 50, longestMs: 500 };

export const pauseBeforeAttempt = (failures: number): number => backOffMs(betweenAttempts, failures);

/** A failure that trying again cannot mend. */
export class Unmendable extends Error {
  override readonly name: string = 'Unmendable';
}

/** What a broker says no to, and would say no to again. */
const refusals = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

/** Whether an error is the brokers' last word, and not the lack of one. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof Unmendable ||
  (error instanceof Error &&
    (refusals.has((error as { readonly type?: string }).type ?? '') || isAnswer(error.cause)));

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

/** Waits for what may never settle: each ends after a while, and all of them when there is nothing to hope for. */
export class BoundedWaits {
  private readonly longestMs: number;
  private readonly waiting = new Set<(why: string) => void>();

  constructor(longestMs: number) {
    this.longestMs = longestMs;
  }

  /** Rejects when it takes longer; what is waited for goes on all the same. */
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

export interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

export interface Held<Client extends Connectable> {
  readonly client: Client;
  /** Ends its connections, whatever it thinks of them. */
  readonly cut: () => void;
}

/** Is told of every use, but of the failure of each client only once. */
export interface Outcome {
  answered(): void;
  failed(): void;
}

interface InUse<Client extends Connectable> extends Held<Client> {
  readonly connected: Promise<void>;
  readonly waits: BoundedWaits;
}

const politeForMs = 2_000;
/** Of a few requests; the library bounds each, but has ways to lose one. */
const longestUseMs = 20_000;

/** Lets a client take its leave; one that cannot, because nobody answers, is cut off. */
export const disconnect = async <Client extends Connectable>({
  client,
  cut,
}: Held<Client>): Promise<void> => {
  await withTimeout(
    politeForMs,
    client.disconnect().catch(() => undefined),
    () => undefined,
  );
  cut();
};

/**
 * A connected client. It is made when it is first needed, and anew after a failure: what a client of the library
 * remembers of a broker that went away is the source of most of its silent stalls. No use of it outlives it: those
 * that wait for an answer when it is cut off fail, also where the library has forgotten them.
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

  /** The use of a client by one that tries again by itself. */
  async use<T>(action: (client: Client) => Promise<T>): Promise<T> {
    const inUse = await this.connected();
    try {
      const result = await inUse.waits.for(action(inUse.client));
      this.outcome.answered();
      return result;
    } catch (error) {
      if (!isAnswer(error)) this.giveUp(inUse);
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
    inUse.connected.catch(() => this.giveUp(inUse));
    return inUse;
  }

  /** Its other users may still get their answers; what fails of one that was given up before says nothing new. */
  private giveUp(inUse: InUse<Client>): void {
    if (this.inUse !== inUse) return;
    this.inUse = undefined;
    this.outcome.failed();
    void end(inUse);
  }
}

const end = async <Client extends Connectable>(inUse: InUse<Client>): Promise<void> => {
  await disconnect(inUse);
  inUse.waits.end('The client was given up');
};
