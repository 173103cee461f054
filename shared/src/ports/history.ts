import type { LiveMessage } from '../wire/bus/liveMessage.js';
import type { Place, PositionedTopic } from '../wire/protocol/position.js';

/** A topic of a room, in a scope. */
export type HistoryTopic = PositionedTopic;

/** A message of a topic with history. */
export interface KeptMessage {
  readonly place: Place;
  /** Its number among all messages of its topic that were ever kept, from 1. */
  readonly ordinal: number;
  /** The latest time at which this message, or one before it, was accepted; Unix milliseconds. */
  readonly latestAt: number;
  readonly message: LiveMessage;
}

/** Up to where messages of a topic are gone. */
export interface Removals {
  /** The newest message that was removed because it had expired; undefined where none was. */
  readonly removedTo: Place | undefined;
  /** Everything up to here was deleted; undefined where nothing was. */
  readonly deletedTo: Place | undefined;
}

/** The record of a topic as of a moment. */
export interface HistoryView extends Removals {
  /** The epoch of messages that are published now. */
  readonly epoch: number;
  /** Every message of the room up to this offset of the epoch is in the record; those behind it come live. */
  readonly upTo: number;
  /** The newest message that there has been; undefined where there was none. */
  readonly newest: Pick<KeptMessage, 'place' | 'ordinal'> | undefined;
  /** What is gone by now, and was not when the view was taken: pages that were read may lack it. Rejects with `EngineUnavailable`. */
  removals(): Promise<Removals>;
  /**
   * Messages before a place, by default from the newest on, the newest first; a page is read when it is asked for. It may hold messages that
   * have expired meanwhile, and none that was deleted. None comes twice. Rejects with `EngineUnavailable`.
   */
  newestFirst(before?: Place): AsyncIterable<readonly KeptMessage[]>;
  /** Messages behind a place, by default from the beginning, the oldest first; as above. */
  oldestFirst(after?: Place): AsyncIterable<readonly KeptMessage[]>;
}

/** What is kept of the messages of topics with history, in the order in which they are delivered. */
export interface History {
  /**
   * Holds every message whose publish was acknowledged before the call. Rejects with `EngineUnavailable`: where it cannot be told that
   * nothing is missing, there is no view.
   */
  look(topic: HistoryTopic): Promise<HistoryView>;

  /** The epoch of messages that are published now to the room, as far as this process knows; undefined before the first look. */
  epochOf(room: string): number | undefined;

  /** Deletes everything that a topic has up to a place, for good. Resolves when no look finds it. Rejects with `EngineUnavailable`. */
  deleteTopic(topic: HistoryTopic, owners: HistoryOwners, to: Place): Promise<void>;
}

/** Behind everything that the view holds, and before what is published after it was taken. */
export const endOf = ({ epoch, upTo }: HistoryView): Place => ({ epoch, offset: upTo });

/** What a topic is deleted with. */
export interface HistoryOwners {
  readonly projectId: string;
  readonly appId: string;
}
