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

/** Up to where the messages of a topic have been removed. */
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
  /** Every message of the room up to this offset of the epoch is in the record; later ones arrive live. */
  readonly upTo: number;
  /** The newest message that there has been; undefined where there was none. */
  readonly newest: Pick<KeptMessage, 'place' | 'ordinal'> | undefined;
  /** What has been removed since the view was taken: pages that were read may lack it. Rejects with `EngineUnavailable`. */
  removals(): Promise<Removals>;
  /**
   * Messages before a place, by default from the newest, newest first; each page is read when it is requested. It may contain messages that
   * have expired meanwhile, but none that was deleted. There are no duplicates. Rejects with `EngineUnavailable`.
   */
  newestFirst(before?: Place): AsyncIterable<readonly KeptMessage[]>;
  /** Messages after a place, by default from the beginning, oldest first; otherwise as above. */
  oldestFirst(after?: Place): AsyncIterable<readonly KeptMessage[]>;
}

/** What is kept of the messages of topics with history, in the order in which they are delivered. */
export interface History {
  /**
   * The view contains every message whose publish was acknowledged before the call. If that cannot be guaranteed, it rejects with
   * `EngineUnavailable`.
   */
  look(topic: HistoryTopic): Promise<HistoryView>;

  /** The epoch of messages that are published now to the room, as far as this process knows; undefined before the first look. */
  epochOf(room: string): number | undefined;

  /** Resolves when the index knows every topic that had messages before the call. Rejects with `EngineUnavailable`, also where that takes long. */
  indexed(): Promise<void>;

  /** Permanently deletes everything that a topic has up to a place. Resolves when no later view contains it. Rejects with `EngineUnavailable`. */
  deleteTopic(topic: HistoryTopic, owners: HistoryOwners, to: Place): Promise<void>;
}

/** After everything that the view contains, and before anything that is published later. */
export const endOf = ({ epoch, upTo }: HistoryView): Place => ({ epoch, offset: upTo });

/** What a topic is deleted with. */
export interface HistoryOwners {
  readonly projectId: string;
  readonly appId: string;
}
