import type { HistoryTopic } from '../ports/history.js';
import type { IndexedRecord } from '../ports/historyIndex.js';

/** The end of a partition of the bus, as of a moment. */
export interface PartitionEnd {
  readonly epoch: number;
  /** The offset of the next record: whatever was acknowledged before the moment is below it. */
  readonly next: number;
  readonly tail: PartitionTail;
}

/** What the index may lack of a partition, with some of what is before that. */
export interface PartitionTail {
  /** The messages of a topic, in order, each once. */
  messagesOf(topic: HistoryTopic): readonly IndexedRecord[];
  /** Whether it reaches so far back that none of its messages is a second copy of one before it. */
  readonly knowsCopies: boolean;
}

/** The partitions of the bus, of each room the same one. */
export interface HistoryPartitions {
  /** As of a moment after the call. Rejects with `EngineUnavailable`, also where records between the index and the tail are missing. */
  endOf(room: string): Promise<PartitionEnd>;
  /** Resolves when all that was acknowledged before the call is in the index. Rejects with `EngineUnavailable`, also where that takes long. */
  indexed(): Promise<void>;
  /** As far as this process knows. */
  epochOf(room: string): number | undefined;
}

export const noTail: PartitionTail = { messagesOf: () => [], knowsCopies: true };
