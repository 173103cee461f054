import type { LiveMessage } from '../wire/bus/liveMessage.js';

/** A message in the log of its partition. */
export interface PastMessage {
  readonly message: LiveMessage;
  readonly offset: number;
}

/** What the bus still has of messages that were published before. Everything rejects with `EngineUnavailable`. */
export interface RoomPast {
  /** Of a room; its messages are in one partition. */
  partitionOf(room: string): number;

  /**
   * The messages behind an offset of a partition, up to its end as of the call: everything that was acknowledged before is there, as far as it
   * has not expired. `expired` is called where some have.
   */
  behind(
    partition: number,
    offset: number,
    expired: (first: number) => void,
  ): AsyncIterable<readonly PastMessage[]>;
}
