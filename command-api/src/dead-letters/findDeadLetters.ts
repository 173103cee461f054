import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { newestFirst } from '../http/listing.js';
import { presentDeadLetter } from './present.js';
import type { DeadLettersQuery } from './schemas.js';

/** Entries of an organization, newest first: `{ data, pagination: { total, limit, offset } }`. */
export const findDeadLetters = async (views: ViewStore, organizationId: string, query: DeadLettersQuery) => {
  const { status, offset = 0 } = query;
  const limit = Math.min(100, Math.max(1, Math.trunc(query.limit ?? 50)));
  const filter = { organizationId, ...(status === undefined ? {} : { status }) };
  const [total, entries] = await Promise.all([
    views.count('deadLetters', filter),
    views.find('deadLetters', { filter, sort: newestFirst, skip: offset, limit }),
  ]);
  return { data: entries.map(presentDeadLetter), pagination: { total, limit, offset } };
};
