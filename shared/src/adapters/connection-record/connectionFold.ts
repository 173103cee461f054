import { plainTopicOf } from '../../domain/topic.js';
import {
  unseenEnds,
  type ConnectionEnd,
  type RecordedConnection,
  type RecordedFact,
} from '../../ports/connectionRecord.js';
import type { FactBatch, FactOf } from '../../wire/bus/connectionFacts.js';

/** A connection, with how far its facts are folded into it. */
export interface FoldedConnection extends RecordedConnection {
  /** The place of its last fact. */
  readonly last: string;
}

/** Digits in base 36: of a time, of the number of a batch, and of a fact in its batch. */
const [timeDigits, numberDigits, indexDigits] = [9, 8, 4];

const digits = (value: number, length: number): string => value.toString(36).padStart(length, '0');

/** Before the facts of a batch, and behind those of the batches before. */
export const placeOfBatch = (number: number): string => digits(number, numberDigits);

/** The facts of a batch, with their places. */
export const placedFacts = ({ number, facts }: FactBatch): readonly RecordedFact[] =>
  facts.map((fact, index) => ({ place: `${placeOfBatch(number)}.${digits(index, indexDigits)}`, fact }));

/** Sorts connections by the time at which they began. */
export const placeOfConnection = ({
  connectedAt,
  connectionId,
}: Pick<RecordedConnection, 'connectedAt' | 'connectionId'>): string =>
  `${digits(connectedAt, timeDigits)}-${connectionId}`;

/** Behind those of every connection that had begun at the time. */
export const placeBehind = (time: number): string => `${digits(time, timeDigits)}~`;

/** `app-slug/room-slug` */
export const roomOf = (topic: string): string => {
  const { app, room } = plainTopicOf(topic);
  return `${app}/${room}`;
};

/** The connection after a fact. Undefined while it is not known who it is: what it began with was lost. */
export const foldFact = (
  known: FoldedConnection | undefined,
  { place, fact }: RecordedFact,
  gateway: string,
): FoldedConnection | undefined => {
  if (fact.kind === 'authenticated') return known ?? begun(fact, gateway, place, fact.at, 0);
  if (fact.kind === 'standing')
    return begun(fact, gateway, place, known?.authenticatedAt ?? fact.connectedAt, fact.subscriptions.length);
  if (known === undefined) return undefined;
  switch (fact.kind) {
    case 'renewed':
      return after(known, place, { scope: fact.scope });
    case 'subscribed':
      return after(known, place, { subscriptions: known.subscriptions + 1 });
    case 'unsubscribed':
      return after(known, place, { subscriptions: Math.max(0, known.subscriptions - 1) });
    case 'closed': {
      const { at, code, reason, by } = fact;
      return after(known, place, { closed: { at, seenOpenAt: at, code, reason, by } });
    }
    default:
      return after(known, place, {});
  }
};

/** Field by field, here and below: of every connection there are several, and to spread an object takes longer than all else that is done with it. */
const begun = (
  fact: FactOf<'authenticated' | 'standing'>,
  gateway: string,
  last: string,
  authenticatedAt: number,
  subscriptions: number,
): FoldedConnection => ({
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

const after = (
  known: FoldedConnection,
  last: string,
  {
    scope = known.scope,
    closed = known.closed,
    subscriptions = known.subscriptions,
  }: Partial<Pick<FoldedConnection, 'scope' | 'closed' | 'subscriptions'>>,
): FoldedConnection => ({
  connectionId: known.connectionId,
  organizationId: known.organizationId,
  projectId: known.projectId,
  actorTokenId: known.actorTokenId,
  keyId: known.keyId,
  actorType: known.actorType,
  scope,
  gateway: known.gateway,
  mark: known.mark,
  address: known.address,
  sdk: known.sdk,
  connectedAt: known.connectedAt,
  authenticatedAt: known.authenticatedAt,
  closed,
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
