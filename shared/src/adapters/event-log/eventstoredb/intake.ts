import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createSignal } from '../logSubscription.js';
import { NoAnswer } from './connection.js';

/** A stream of the client, and how to end its call: destroying the stream would leave the call open. */
export interface Source<T> {
  readonly stream: Readable & AsyncIterable<T>;
  cancel(): Promise<void>;
}

/** The largest batch. */
const batchEvents = 500;

/** Buffers one batch of decoded events, and only a few encoded ones: events may be large. */
export const buffered = { objectMode: true, readableHighWaterMark: batchEvents, writableHighWaterMark: 16 };

/**
 * Reads buffered events from a stream in batches, at the pace of the consumer. While it does not read, the stream fills up
 * and flow control stops the server. (A `for await` would yield one event per turn.)
 */
export class Intake<T> {
  private readonly source: Source<T>;
  private readonly arrival = createSignal();
  private failure: { readonly error: unknown } | undefined;
  private over = false;
  private stopped = false;
  private waiting = false;

  constructor(source: Source<T>) {
    this.source = source;
    const end = (): void => {
      this.over = true;
      this.arrival.give();
    };
    // The error listener stays: a late error must not end the process.
    source.stream
      .on('readable', () => this.arrival.give())
      .on('end', end)
      .on('close', end)
      .on('error', (error) => this.fail(error));
  }

  /** Whether the buffer is empty and the consumer waits for more. */
  get isIdle(): boolean {
    return this.waiting && this.source.stream.readableLength === 0;
  }

  /** The next events, undefined at the end; rejects with the stream's error, or after too long a silence. */
  async next(quietForMs?: number): Promise<readonly T[] | undefined> {
    for (;;) {
      if (this.stopped) return undefined;
      const batch = this.take();
      this.waiting = batch.length === 0;
      if (batch.length > 0) return batch;
      if (this.failure) throw this.failure.error;
      if (this.over) return undefined;
      await this.arrived(quietForMs);
      await setImmediate(); // Events of one network packet form one batch.
    }
  }

  /** Fails like the stream itself, after the buffered events have been read. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.arrival.give();
  }

  /** Ends the call and discards unread events. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.arrival.give();
    // Rejects where there was no call.
    this.source.cancel().catch(() => undefined);
  }

  private take(): T[] {
    const batch: T[] = [];
    while (batch.length < batchEvents) {
      const event = this.source.stream.read() as T | null;
      if (event === null) break;
      batch.push(event);
    }
    return batch;
  }

  private async arrived(quietForMs: number | undefined): Promise<void> {
    const arrival = this.arrival.next();
    if (quietForMs === undefined) return arrival;
    const timer = setTimeout(() => this.fail(new NoAnswer(quietForMs)), quietForMs);
    await arrival.finally(() => clearTimeout(timer));
  }
}
