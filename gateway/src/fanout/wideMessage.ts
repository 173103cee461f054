import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { MessageFrames } from './messageFrames.js';
import type { Subscriber } from './subscriber.js';

/** Measured: of a message that waits, besides its bytes, and of each subscriber whose filters match. */
const overheadBytes = 500;
const matchBytes = 8;

interface WideMessageFields {
  readonly message: LiveMessage;
  readonly frames: MessageFrames;
  /** Those with filters that match, when it came. */
  readonly matching: readonly Subscriber[];
  readonly onEnded: (deliveries: number) => void;
}

/** A message on its way to very many subscribers. */
export class WideMessage {
  readonly matching: readonly Subscriber[];
  readonly onEnded: (deliveries: number) => void;
  /** Memory while it waits. */
  readonly bytes: number;
  deliveries = 0;
  private readonly message: LiveMessage;
  private readonly frames: MessageFrames;
  private readonly filters: ReadonlySet<string>;
  /** As a retained message. */
  private readonly value: { readonly stamp: string; readonly id: string } | undefined;

  constructor({ message, frames, matching, onEnded }: WideMessageFields) {
    this.message = message;
    this.frames = frames;
    this.matching = matching;
    this.onEnded = onEnded;
    this.bytes = overheadBytes + message.body.length + matchBytes * matching.length;
    this.filters = new Set(message.filters);
    this.value = message.retention && { stamp: message.retention.stamp, id: message.id };
  }

  /** Returns whether it is for this subscriber. */
  deliverTo(subscriber: Subscriber): boolean {
    const { message, filters } = this;
    if (!subscriber.getsLive(message)) return false;
    if (subscriber.filters !== undefined && !matchesFilters(subscriber.filters, filters)) return false;
    if (!this.isMissedBy(subscriber)) return false;
    subscriber.deliverLater(this.frames.for(subscriber));
    this.deliveries += 1;
    return true;
  }

  /** [WS-RETAIN-3] */
  private isMissedBy(subscriber: Subscriber): boolean {
    const { value } = this;
    if (value === undefined) return true;
    if (!subscriber.needsLive(value)) return false;
    subscriber.sentLive(value);
    return true;
  }
}
