import type { ConnectionFact } from '@roomwire/shared/wire/bus/connectionFacts';

/** Measured, without what differs much. */
const factBytes = 250;
const subscriptionBytes = 200;
const roomBytes = 120;
const filterBytes = 40;

interface Filtered {
  readonly filters?: readonly unknown[] | undefined;
}

const ofFilters = ({ filters = [] }: Filtered): number => filters.length * filterBytes;

/** What a fact takes in memory, about. */
export const approximateBytes = (fact: ConnectionFact): number => {
  switch (fact.kind) {
    case 'subscribed':
    case 'changed':
      return factBytes + ofFilters(fact);
    case 'standing':
      return fact.subscriptions.reduce((sum, one) => sum + subscriptionBytes + ofFilters(one), factBytes);
    case 'slow':
    case 'closed':
      return factBytes + Object.keys(fact.places).length * roomBytes;
    default:
      return factBytes;
  }
};
