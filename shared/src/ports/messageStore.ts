import type { RetentionClass } from '../wire/bus/recordedMessages.js';
import type { LiveMessage } from '../wire/bus/liveMessage.js';

export interface RecordedMessage {
  readonly message: LiveMessage;
  /** Milliseconds since 1970, by the clock of the gateway that recorded it. */
  readonly recordedAt: number;
}

export interface ReplayRange {
  /**
   * Milliseconds since 1970, inclusive. The clocks of gateways differ, and are set
   * back: ask for an earlier time, and skip known messages by their ids.
   */
  readonly sinceMs: number;
  /** The newest ones, at most this many. */
  readonly limit: number;
}

export interface Replay {
  /** The number of messages; fewer are returned when some expire meanwhile. */
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

  /** The recorded messages of a topic that have not expired, including all that were appended before the call. */
  replay(internalTopic: string, range: ReplayRange): Promise<Replay>;

  /** Waits for accepted messages. */
  close(): Promise<void>;
}
