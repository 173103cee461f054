import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { matchesFilters } from '../policy/filters.js';
import type { Member } from './groupMembers.js';

/** [WS-GROUP-3] Whether a member may have a message. */
export const mayHave = ({ publisher, filters }: LiveMessage): ((member: Member) => boolean) => {
  let values: ReadonlySet<string> | undefined;
  return (member) =>
    member.actorTokenId !== publisher &&
    (member.filters === undefined || matchesFilters(member.filters, (values ??= new Set(filters))));
};
