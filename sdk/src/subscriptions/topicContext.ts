import type { RoomwireError } from '../errors.js';
import type { Random, Schedule } from '../primitives.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type { Feature, HistoryGap } from '../protocol/frames.js';

/** What the subscription of a topic needs of the client. */
export interface TopicContext {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly requestMs: number;
  isOnline(): boolean;
  /** Whether to subscribe now; where not, `connected` follows when it may be done. */
  mayAsk(): boolean;
  has(feature: Feature): boolean;
  send(frame: ClientFrame): void;
  /** Messages are missing, before the next one. */
  onGap(gap: HistoryGap): void;
  /** No subscribe is pending. */
  onAnswered(): void;
  /** A subscription that had been working was refused; it goes on if that may pass. */
  onLost(error: RoomwireError): void;
  /** The topic has no members left and no request is pending. */
  onUnused(): void;
}
