import { plainTopicOf } from '../../domain/topic.js';
import {
  unseenEnds,
  type ConnectionEnd,
  type RecordedConnection,
  type RecordedFact,
} from '../../ports/connectionRecord.js';
import type { ConnectionFact, FactBatch, FactOf } from '../../wire/bus/connectionFacts.js';
import { placeInBatch, placeOfBatch } from '../../wire/connectionPlaces.js';

/** A connection, with how far its facts are folded into it. */
export interface FoldedConnection extends RecordedConnection {
  /** The place of its last fact. */
  readonly last: string;
}

/** The facts of a batch, with their places; null stands for one that is not there. */
export const placedFacts = ({
  number,
  facts,
}: Pick<FactBatch, 'number'> & {
  readonly facts: readonly (ConnectionFact | null)[];
}): readonly RecordedFact[] => {
  const batch = placeOfBatch(number);
  const placed: RecordedFact[] = [];
  for (const [index, fact] of facts.entries())
    if (fact !== null) placed.push({ place: placeInBatch(batch, index), fact });
  return placed;
};

/** `app-slug/room-slug` */
export const roomOf = (topic: string): string => {
  const { app, room } = plainTopicOf(topic);
  return `${app}/${room}`;
};

/** Whether a fact says who the connection is. */
export const isBeginning = (fact: ConnectionFact): fact is FactOf<'authenticated' | 'standing'> =>
  fact.kind === 'authenticated' || fact.kind === 'standing';

/** The connection after a fact. Undefined while it is not known who it is: what it began with was lost. */
export const foldFact = (
  known: FoldedConnection | undefined,
  recorded: RecordedFact,
  gateway: string,
): FoldedConnection | undefined => {
  const { place, fact } = recorded;
  if (fact.kind === 'authenticated') return known ?? begun(fact, gateway, place, fact.at, 0);
  if (fact.kind === 'standing')
    return begun(fact, gateway, place, known?.authenticatedAt ?? fact.connectedAt, fact.subscriptions.length);
  if (known === undefined) return undefined;
  const next: GrownConnection = { ...known };
  growBy(next, recorded);
  return next;
};

/** A connection that only its owner has. */
export interface GrownConnection extends FoldedConnection {
  scope: string | null;
  closed: ConnectionEnd | null;
  subscriptions: number;
  last: string;
}

/** As `foldFact`, in place, for a fact with which no connection begins. */
export const growBy = (connection: GrownConnection, { place, fact }: RecordedFact): void => {
  connection.last = place;
  if (fact.kind === 'renewed') connection.scope = fact.scope;
  else if (fact.kind === 'subscribed') connection.subscriptions += 1;
  else if (fact.kind === 'unsubscribed') connection.subscriptions = Math.max(0, connection.subscriptions - 1);
  else if (fact.kind === 'closed') {
    const { at, code, reason, by } = fact;
    connection.closed = { at, seenOpenAt: at, code, reason, by };
  }
};

/** Field by field: in a connect storm to spread an object costs more than to make one. */
const begun = (
  fact: FactOf<'authenticated' | 'standing'>,
  gateway: string,
  last: string,
  authenticatedAt: number,
  subscriptions: number,
): GrownConnection => ({
  connectionId: fact.connection,
  organizationId: fact.organizationId,
  projectId: fact.projectId,
  actorTokenId: fact.actorTokenId,
  keyId: fact.keyId,
  actorType: fact.actorType,
  scope: fact.scope,
  gateway,
  mark: fact.mark,
  address: fact.address,
  sdk: fact.sdk ?? null,
  connectedAt: fact.connectedAt,
  authenticatedAt,
  closed: null,
  subscriptions,
  last,
});

/** The rooms in which facts say that a connection is subscribed. */
export const roomsOf = ({ fact }: RecordedFact): readonly string[] => {
  if (fact.kind === 'subscribed') return [roomOf(fact.topic)];
  return fact.kind === 'standing' ? fact.subscriptions.map(({ topic }) => roomOf(topic)) : [];
};

export const lostEnd = (seenOpenAt: number, at: number): ConnectionEnd => ({
  ...{ at, seenOpenAt, code: null, reason: unseenEnds.gatewayLost, by: null },
});

export const unrecordedEnd = (seenOpenAt: number, at: number): ConnectionEnd => ({
  ...{ at, seenOpenAt, code: null, reason: unseenEnds.notRecorded, by: null },
});

/** `lost`: it was given up with its gateway, and may come back with it. */
export type ConnectionState = 'open' | 'lost' | 'closed';

export const stateOf = ({ closed }: Pick<RecordedConnection, 'closed'>): ConnectionState => {
  if (closed === null) return 'open';
  return closed.reason === unseenEnds.gatewayLost ? 'lost' : 'closed';
};

export const shownConnection = ({
  last: _,
  ...connection
}: RecordedConnection & { readonly last?: string }): RecordedConnection => connection;
