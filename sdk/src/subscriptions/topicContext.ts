import type { RoomwireError } from '../errors.js';
import type { Schedule } from '../primitives.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type { Feature, HistoryGap } from '../protocol/frames.js';

/** What the subscription of a topic needs of the client. */
export interface TopicContext {
  readonly schedule: Schedule;
  readonly requestMs: number;
  isOnline(): boolean;
  has(feature: Feature): boolean;
  send(frame: ClientFrame): void;
  /** Messages are missing, before the next one. */
  onGap(gap: HistoryGap): void;
  /** A subscription that had been working was refused. */
  onLost(error: RoomwireError): void;
  /** The topic has no members left and no request is pending. */
  onUnused(): void;
}
