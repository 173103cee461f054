import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { roughSize } from '@roomwire/shared/runtime/roughSize';

type Events = readonly RecordedEvent[];

/** What waits is never more than this and what the log hands over at once. */
const mostEvents = 2_000;
const mostCharacters = 4_000_000;

export interface BatchSteps {
  /** One batch at a time, in order. */
  write(events: Events): Promise<void>;
  /** With what has been written: in order, one batch at a time, while the next one is being written. */
  afterwards(events: Events): Promise<void>;
}

/**
 * What comes while a batch is being written is the next batch: a single event waits for nobody, and in a long log the
 * requests that every batch takes are spread over many events.
 */
export class GatheredBatches {
  readonly #steps: BatchSteps;
  readonly #onFailure: () => void;
  #waiting: RecordedEvent[] = [];
  #characters = 0;
  /** Until nothing waits. */
  #writing: Promise<void> | undefined;
  #following: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  /** Events so far, and those that both steps have been done with. */
  #added = 0;
  #through = 0;
  #waiters: (() => void)[] = [];

  /** `onFailure` is told once; no step is begun after that. */
  constructor(steps: BatchSteps, onFailure: () => void) {
    this.#steps = steps;
    this.#onFailure = onFailure;
  }

  /** Resolves when there is room for more. Rejects when a step has failed. */
  async add(events: Events): Promise<void> {
    this.#throwFailure();
    for (const event of events) {
      this.#waiting.push(event);
      this.#characters += roughSize(event.data);
    }
    this.#added += events.length;
    this.#writing ??= this.#write();
    while (this.#isFull && !this.#failure) await this.#change();
    this.#throwFailure();
  }

  /**
   * Resolves when both steps have been done with all that has come by now, whatever comes meanwhile. Rejects when one has
   * failed, and the other is not under way any more.
   */
  async done(): Promise<void> {
    const added = this.#added;
    while (this.#through < added && !this.#failure) await this.#change();
    if (!this.#failure) return;
    await this.#writing;
    await this.#following;
    this.#throwFailure();
  }

  get #isFull(): boolean {
    return this.#waiting.length >= mostEvents || this.#characters >= mostCharacters;
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && !this.#failure) {
        const events = this.#take();
        await this.#steps.write(events);
        await this.#following;
        if (this.#failure) break;
        this.#following = this.#follow(events);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#writing = undefined;
    }
  }

  async #follow(events: Events): Promise<void> {
    try {
      await this.#steps.afterwards(events);
      this.#through += events.length;
      this.#wake();
    } catch (error) {
      this.#fail(error);
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #wake(): void {
    const woken = this.#waiters;
    this.#waiters = [];
    for (const wake of woken) wake();
  }

  #take(): Events {
    const events = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    this.#wake();
    return events;
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#wake();
    this.#onFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
