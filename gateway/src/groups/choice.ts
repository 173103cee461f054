import type { LiveMessage } from '@roomwire/shared/contracts/bus/liveMessage';
import { matchesFilters } from '../policy/filters.js';
import type { Member } from './groupState.js';

/** [WS-GROUP-2] Who is to get a message: of those who may, the one with the fewest that are not done, in turn among equals. */
export const choose = (
  members: Iterable<Member>,
  { publisher, filters }: LiveMessage,
): Member | undefined => {
  let best: Member | undefined;
  let values: ReadonlySet<string> | undefined;
  for (const member of members) {
    if (member.actorTokenId === publisher) continue;
    if (member.filters && !matchesFilters(member.filters, (values ??= new Set(filters)))) continue;
    if (best === undefined || isBefore(member, best)) best = member;
  }
  return best;
};

/** Members whose clients acknowledge nothing have no load: they simply take turns. */
const loadOf = ({ acks, load, proposed }: Member): number => (acks ? load.size + proposed : 0);

const turnOf = ({ turn, proposedTurn }: Member): number => Math.max(turn, proposedTurn);

const isBefore = (one: Member, other: Member): boolean => {
  const difference = loadOf(one) - loadOf(other);
  return difference < 0 || (difference === 0 && turnOf(one) < turnOf(other));
};
