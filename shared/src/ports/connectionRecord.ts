import type { ConnectionFact, FactBatch } from '../wire/bus/connectionFacts.js';
import type { LogOrigin, LogPosition } from './eventLog.js';

/** What is recorded of one connection. Times are Unix milliseconds. */
export interface RecordedConnection {
  readonly connectionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly actorTokenId: string;
  readonly keyId: string;
  readonly actorType: string;
  /** The slug of its scope, the latest. */
  readonly scope: string | null;
  readonly gateway: string;
  /** In the ids of the messages that it has published: what `connectionOf` finds there. */
  readonly mark: string;
  readonly address: string;
  readonly sdk: string | null;
  readonly connectedAt: number;
  readonly authenticatedAt: number;
  /** Null while it is open. */
  readonly closed: ConnectionEnd | null;
  /** Subscriptions that it has, or had when it closed. */
  readonly subscriptions: number;
}

export interface ConnectionEnd {
  /** The latest time at which it may have ended, where that was not seen. */
  readonly at: number;
  /** The last time at which it is known to have been open; `at` where its end was seen. */
  readonly seenOpenAt: number;
  /** Null where its end was not seen. */
  readonly code: number | null;
  /** As in the close; `gateway_lost` if its gateway was killed, `not_recorded` if the record has a gap. */
  readonly reason: string;
  readonly by: 'gateway' | 'client' | null;
}

export const unseenEnds = { gatewayLost: 'gateway_lost', notRecorded: 'not_recorded' } as const;

/** A fact of a connection, with its place among those of its gateway. */
export interface RecordedFact {
  /** Sorts facts of a connection as they happened. */
  readonly place: string;
  readonly fact: ConnectionFact;
}

export interface ConnectionQuery {
  readonly organizationId: string;
  readonly projectId?: string | undefined;
  readonly actorTokenId?: string | undefined;
  /** `app-slug/room-slug`: those that were subscribed there at any time of which there are facts, in any scope. */
  readonly room?: string | undefined;
  readonly state?: 'open' | 'closed' | undefined;
  /** Those that may have been open at some time of it. */
  readonly during?: TimeSpan | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

export interface ConnectionPage {
  /** The newest first. */
  readonly connections: readonly RecordedConnection[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export interface TimelineQuery {
  readonly connectionId: string;
  readonly limit: number;
  /** `place` of the last fact that is known. */
  readonly after?: string | undefined;
}

/** What is known of the connections of a gateway, by time. */
export interface GatewayLife {
  readonly gateway: string;
  readonly startedAt: number;
  /** Everything up to here is recorded, except in the gaps. */
  readonly knownUpTo: number;
  /** `closed` if it ended then, with its connections; `lost` if it ended some time later without reporting it; null while it runs. */
  readonly end: 'closed' | 'lost' | null;
  /** The latest time at which it may have ended; null while it runs. */
  readonly endedBy: number | null;
  readonly gaps: readonly TimeSpan[];
  /** Of hand-outs of jobs alone. */
  readonly handOutGaps: readonly TimeSpan[];
}

/** How far a gateway has written. */
export interface RunningGateway {
  readonly gateway: string;
  /** Of its last batch on record. */
  readonly number: number;
}

/** Unix milliseconds, both inclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** How complete the record of a time is: only if it is complete does a missing fact prove that something did not happen. */
export interface RecordCoverage {
  /** What was before is forgotten in part. */
  readonly knownFrom: number;
  /** Of all gateways that may have had connections at the time. */
  readonly gateways: readonly GatewayLife[];
}

/**
 * The history of connections, for some days, and the times for which it is incomplete: check the `coverage` before you draw
 * a conclusion from a missing fact. Rejects with `EngineUnavailable` if the engine cannot be reached.
 */
export interface ConnectionRecord {
  /**
   * Adds the facts of a batch, all before it resolves. Idempotent, and in any number of writers at once as long as each writes the batches
   * of a gateway in their order. A batch whose number is not the next one of its gateway makes a gap.
   */
  write(batches: readonly FactBatch[]): Promise<void>;

  /** Up to `limit` connections. The work depends on the limit, and not on how many are on record. */
  find(query: ConnectionQuery): Promise<ConnectionPage>;

  /** Undefined for one that is not on record. */
  get(organizationId: string, connectionId: string): Promise<RecordedConnection | undefined>;

  /** Facts of one connection, the oldest first. */
  timeline(query: TimelineQuery): Promise<readonly RecordedFact[]>;

  /** To whom the job of a message was handed out, in any group, the oldest first; see `handOutGaps` for what may be missing. */
  handOuts(projectId: string, messageId: string): Promise<readonly RecordedFact[]>;

  /** What is not on record of that time. */
  coverage(during: TimeSpan): Promise<RecordCoverage>;

  /** Gateways that have not ended, as far as is known. */
  running(): Promise<readonly RunningGateway[]>;

  /**
   * Ends the connections of those of these gateways that have written nothing since, and resolves with their ids. A gateway that writes again has its
   * connections back. Also completes what an earlier call could not.
   */
  giveUp(gateways: readonly RunningGateway[], now: number): Promise<readonly string[]>;

  /** Removes what is older, in steps; resolves with the number of facts that went, also of those that went for their number since. */
  prune(before: number): Promise<number>;

  /** Removes everything that belongs to one of these projects. */
  removeOf(projectIds: readonly string[]): Promise<void>;

  /** How far the events are followed that remove something. */
  checkpoint(): Promise<LogPosition | undefined>;
  origin(): Promise<LogOrigin | undefined>;
  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void>;

  /** The offset of the bus at which reading continues; undefined at the beginning. */
  nextOffset(): Promise<number | undefined>;
  /** Forward only: who is behind leaves it where it is. */
  moveOffset(next: number): Promise<void>;
  /** Back, for a topic that was made anew, unless it has been moved since it was `known`. */
  resetOffset(known: number, next: number): Promise<void>;

  close(): Promise<void>;
}

/** Where gateways leave what they have seen. */
export interface FactLog {
  /** Rejects if it is unknown whether the batch is stored: the caller writes it again. */
  write(batch: FactBatch): Promise<void>;
}

/** Whether everything that happened to the connections of a gateway in that time is recorded. */
export const knowsGateway = (
  { startedAt, knownUpTo, end, endedBy, gaps }: GatewayLife,
  { from, to }: TimeSpan,
): boolean => {
  if (to < startedAt || (endedBy !== null && from > endedBy)) return true;
  const isReached = to <= knownUpTo || end === 'closed';
  return isReached && !gaps.some((gap) => gap.from <= to && gap.to >= from);
};

/** Whether the record of that time is complete: then a missing fact did not happen. */
export const isCovered = ({ knownFrom, gateways }: RecordCoverage, during: TimeSpan): boolean =>
  during.from >= knownFrom && gateways.every((life) => knowsGateway(life, during));
