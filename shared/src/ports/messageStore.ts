import type { RetentionClass } from '../wire/bus/recordedMessages.js';
import type { LiveMessage } from '../wire/bus/liveMessage.js';

export interface RecordedMessage {
  readonly message: LiveMessage;
  /** Milliseconds since 1970, by the clock of the gateway that recorded it. */
  readonly recordedAt: number;
}

export interface ReplayRange {
  /**
   * Milliseconds since 1970; what was recorded at this moment belongs to it. The clocks of gateways differ, and are set
   * back: ask for a little more, and tell by their ids what is known already.
   */
  readonly sinceMs: number;
  /** The newest ones, at most this many. */
  readonly limit: number;
}

export interface Replay {
  /** How many there are; fewer may come when some expire on the way. */
  readonly count: number;
  /**
   * The oldest first, in the order in which they were recorded. To be read once, and slowly if need be: a page is read when it is
   * asked for and is a few megabytes at most. Rejects with `EngineUnavailable`.
   */
  readonly pages: AsyncIterable<readonly RecordedMessage[]>;
}

/** Messages of topics that are logged, kept for their retention. Rejects with `EngineUnavailable` where the engine is out of reach. */
export interface MessageStore {
  /**
   * Resolves when the message survives the end of every process. Appends to one topic keep the order in which they were
   * called; when the class of the topic changes, the order is that of time.
   */
  append(message: LiveMessage, retention: RetentionClass): Promise<void>;

  /** What was recorded of a topic and has not expired; everything that was appended before the call is in it. */
  replay(internalTopic: string, range: ReplayRange): Promise<Replay>;

  /** Waits for what was accepted. */
  close(): Promise<void>;
}
