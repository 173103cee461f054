import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { oldestFirst } from '../http/pagination.js';
import type { RedriveBody } from './schemas.js';

/** Of one request: whoever has more asks again. */
const most = 1_000;
const together = 20;

/** Tries the entries of an organization that fit again, and says how many there were. `redriveOne` says whether it was there. */
export const redriveMany = async (
  views: ViewStore,
  organizationId: string,
  { dryRun = true, status, ...filter }: RedriveBody,
  redriveOne: (dlqId: string) => Promise<boolean>,
) => {
  const entries = await views.find('deadLetters', {
    filter: { organizationId, ...filter, status: status ?? { $in: ['pending', 'failed'] } },
    sort: oldestFirst,
    limit: most,
  });
  const dlqIds = entries.map(({ dlqId }) => dlqId);
  let redriven = 0;
  for (let from = 0; !dryRun && from < dlqIds.length; from += together) {
    const outcomes = await Promise.all(dlqIds.slice(from, from + together).map(redriveOne));
    redriven += outcomes.filter(Boolean).length;
  }
  return { matched: dlqIds.length, redriven, dryRun, dlqIds };
};
