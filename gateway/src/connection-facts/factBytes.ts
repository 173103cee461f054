import { Buffer } from 'node:buffer';
import type { ConnectionFact } from '@roomwire/shared/wire/bus/connectionFacts';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';

/** Measured, without the texts that clients choose. */
const factBytes = 250;
const subscriptionBytes = 100;
const roomBytes = 60;
const filterBytes = 40;

/**
 * Of the filters of a subscription, of the rooms of a connection, and of the subscriptions of a connection in one fact. A batch and one more
 * fact must fit into a record of the bus.
 */
export const mostFilterBytes = 16 * 1024;
export const mostBytesOfFact = 256 * 1024;

interface Wished {
  readonly topic: string;
  readonly filters?: readonly FilterEntry[] | undefined;
  readonly group?: string | undefined;
}

export const bytesOfFilters = (filters: readonly FilterEntry[] = []): number => {
  let bytes = 0;
  for (const entry of filters)
    for (const text of typeof entry === 'string' ? [entry] : entry)
      bytes += filterBytes + Buffer.byteLength(text);
  return bytes;
};

export const bytesOfRoom = (room: string): number => roomBytes + room.length;

export const bytesOfSubscription = ({ topic, filters, group = '' }: Wished): number =>
  subscriptionBytes + topic.length + Buffer.byteLength(group) + bytesOfFilters(filters);

/** What a fact takes in memory and in a record, at most or slightly more. */
export const bytesOfFact = (fact: ConnectionFact): number => {
  switch (fact.kind) {
    case 'subscribed':
    case 'changed':
      return factBytes + bytesOfSubscription(fact);
    case 'standing':
      return fact.subscriptions.reduce((sum, one) => sum + bytesOfSubscription(one), factBytes);
    case 'slow':
    case 'closed':
      return Object.keys(fact.places).reduce((sum, room) => sum + bytesOfRoom(room), factBytes);
    default:
      return factBytes;
  }
};
