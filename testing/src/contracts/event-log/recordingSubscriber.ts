import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { LogSubscriber } from '@roomwire/shared/ports/eventLog';
import { eventually } from '../../run/eventually.js';
import { idsOf } from './eventLogUnderTest.js';

/** Keeps what it is given. `hold` makes it take its time with the batches from then on, until `release`. */
export class RecordingSubscriber implements LogSubscriber {
  readonly batches: (readonly RecordedEvent[])[] = [];
  /** How many events had been handed over at each call of `onCaughtUp`. */
  readonly caughtUpAfter: number[] = [];
  private held: Promise<void> = Promise.resolve();
  private releaseHeld: () => void = () => undefined;

  async onEvents(events: readonly RecordedEvent[]): Promise<void> {
    this.batches.push(events);
    await this.held;
  }

  onCaughtUp(): void {
    this.caughtUpAfter.push(this.events.length);
  }

  get events(): RecordedEvent[] {
    return this.batches.flat();
  }

  get ids(): string[] {
    return idsOf(this.events);
  }

  hold(): void {
    this.held = new Promise((resolve) => {
      this.releaseHeld = resolve;
    });
  }

  release(): void {
    this.releaseHeld();
  }

  hasReceived(count: number): Promise<void> {
    return eventually(() => this.events.length >= count, { what: `${count} events` });
  }

  hasCaughtUp(): Promise<void> {
    return eventually(() => this.caughtUpAfter.length > 0, { what: 'the end of the log' });
  }
}
