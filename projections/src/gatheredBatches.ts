import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { roughSize } from '@roomwire/shared/runtime/roughSize';
import { mappedInSlices } from '@roomwire/shared/runtime/workSlices';
import { goingAhead, mayRevoke } from './revocations.js';

type Events = readonly RecordedEvent[];

/** At most this much waits, plus one batch of the log. */
const mostEvents = 2_000;
const mostCharacters = 4_000_000;

export interface BatchSteps {
  /** One batch at a time, in order. */
  write(events: Events): Promise<void>;
  /** After `write`: in order, one batch at a time, while the next one is being written. */
  afterwards(events: Events): Promise<void>;
  /** For revocations that wait, and what is before them in their project: in order, and not while `write` begins. They come again. */
  ahead(events: Events): Promise<void>;
}

/**
 * Events that arrive while a batch is being written form the next batch: a single event is written at once, and in a long
 * log the requests that each batch takes are spread over many events. Revocations among them do not wait for it.
 */
export class GatheredBatches {
  private readonly steps: BatchSteps;
  private readonly onFailure: () => void;
  private waiting: RecordedEvent[] = [];
  private characters = 0;
  /** Runs until nothing waits. */
  private writing: Promise<void> | undefined;
  private following: Promise<void> = Promise.resolve();
  /** Batches that both steps have not processed yet. */
  private readonly inFlight = new Set<Events>();
  /** What goes ahead of the events that wait. */
  private goingAhead: Promise<void> | undefined;
  private mayGoAhead = true;
  private hasRevocations = false;
  /** By key, the last of the events that wait which has gone ahead. */
  private readonly gone = new Map<string, LogPosition>();
  private failure: { readonly error: unknown } | undefined;
  /** Events added so far, and those that both steps have processed. */
  private added = 0;
  private processed = 0;
  private waiters: (() => void)[] = [];

  /** `onFailure` is called once; no step starts after that. */
  constructor(steps: BatchSteps, onFailure: () => void) {
    this.steps = steps;
    this.onFailure = onFailure;
  }

  /** Resolves when there is room for more. Rejects when a step has failed. */
  async add(events: Events): Promise<void> {
    // Each large one takes its time, as its parsing has.
    const sizes = await mappedInSlices(events, ({ data }) => roughSize(data));
    this.throwFailure();
    this.waiting.push(...events);
    for (const size of sizes) this.characters += size;
    this.added += events.length;
    this.hasRevocations ||= events.some(mayRevoke);
    this.writing ??= this.write();
    this.goAhead();
    while (this.isFull && !this.failure) await this.change();
    this.throwFailure();
  }

  /**
   * Resolves when both steps have processed what was added before the call. Rejects when one has failed and the other has
   * ended.
   */
  async done(): Promise<void> {
    const added = this.added;
    while (this.processed < added && !this.failure) await this.change();
    if (!this.failure) return;
    await this.writing;
    await this.following;
    await this.goingAhead;
    this.throwFailure();
  }

  private get isFull(): boolean {
    return this.waiting.length >= mostEvents || this.characters >= mostCharacters;
  }

  private async write(): Promise<void> {
    try {
      while (this.waiting.length > 0 && !this.failure) {
        // What goes ahead later than its batch would undo what the batch writes.
        this.mayGoAhead = false;
        if (this.goingAhead !== undefined) {
          await this.goingAhead;
          if (this.failure) break;
        }
        const events = this.take();
        this.mayGoAhead = true;
        await this.steps.write(events);
        await this.following;
        if (this.failure) break;
        this.following = this.follow(events);
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.writing = undefined;
    }
  }

  private async follow(events: Events): Promise<void> {
    try {
      await this.steps.afterwards(events);
      this.processed += events.length;
      this.inFlight.delete(events);
      this.wake();
      this.goAhead();
    } catch (error) {
      this.fail(error);
    }
  }

  private goAhead(): void {
    if (!this.mayGoAhead || !this.hasRevocations || this.goingAhead !== undefined || this.failure) return;
    const events = this.choose();
    if (events.length === 0) return;
    for (const event of events) this.gone.set(domainEventFeed.key(event), event.position);
    this.goingAhead = this.steps
      .ahead(events)
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.goingAhead = undefined;
        this.goAhead();
      });
  }

  private choose(): Events {
    const busy = new Set([...this.inFlight].flatMap((events) => events.map(domainEventFeed.key)));
    const isNew = (event: RecordedEvent): boolean =>
      event.position > (this.gone.get(domainEventFeed.key(event)) ?? '');
    return goingAhead(this.waiting.filter(isNew), (key) => !busy.has(key));
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private wake(): void {
    const woken = this.waiters;
    this.waiters = [];
    for (const wake of woken) wake();
  }

  private take(): Events {
    const events = this.waiting;
    this.waiting = [];
    this.characters = 0;
    this.hasRevocations = false;
    this.gone.clear();
    this.inFlight.add(events);
    this.wake();
    return events;
  }

  private fail(error: unknown): void {
    if (this.failure) return;
    this.failure = { error };
    this.wake();
    this.onFailure();
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure.error;
  }
}
