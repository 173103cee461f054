import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createSignal } from '../logSubscription.js';
import { NoAnswer } from './connection.js';

/** A stream of the client's, and how to end its call: destroying it would leave the call open. */
export interface Source<T> {
  readonly stream: Readable & AsyncIterable<T>;
  cancel(): Promise<void>;
}

/** A batch ends here at the latest. */
const batchEvents = 500;

/** As many are kept ready for the next batch, and only few that are not decoded yet: events may be large. */
export const buffered = { objectMode: true, readableHighWaterMark: batchEvents, writableHighWaterMark: 16 };

/**
 * Takes what has arrived out of a stream, batch by batch, at the pace of whoever asks. While nobody asks, the stream
 * fills up and the server is held back. (A `for await` would give one event a turn.)
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
    // The listener for errors stays: one that comes when nobody looks any more must not end the process.
    source.stream
      .on('readable', () => this.arrival.give())
      .on('end', end)
      .on('close', end)
      .on('error', (error) => this.fail(error));
  }

  /** All that has arrived has been taken out, and whoever took it has come back for more. */
  get isIdle(): boolean {
    return this.waiting && this.source.stream.readableLength === 0;
  }

  /** The next events, undefined at the end; rejects with what the stream failed with, or when it is quiet for too long. */
  async next(quietForMs?: number): Promise<readonly T[] | undefined> {
    for (;;) {
      if (this.stopped) return undefined;
      const batch = this.take();
      this.waiting = batch.length === 0;
      if (batch.length > 0) return batch;
      if (this.failure) throw this.failure.error;
      if (this.over) return undefined;
      await this.arrived(quietForMs);
      await setImmediate(); // What came in one piece over the network is one batch, and not as many as it has events.
    }
  }

  /** As if the stream had failed, once what has arrived has been taken out. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.arrival.give();
  }

  /** Nothing comes out any more, and the call is ended. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.arrival.give();
    // Rejects when there never was a call.
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
