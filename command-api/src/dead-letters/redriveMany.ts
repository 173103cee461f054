import type { ViewFilter, ViewStore } from '@roomwire/shared/ports/viewStore';
import { oldestFirst } from '../http/listing.js';
import { normalTime } from '../http/schema.js';
import { mostRedriven, type RedriveBody } from './schemas.js';

const together = 20;

/** Tries the entries of an organization that fit again, and says how many there were. `redriveOne` says whether it was there. */
export const redriveMany = async (
  views: ViewStore,
  organizationId: string,
  { dryRun = true, limit = mostRedriven, ...chosen }: RedriveBody,
  redriveOne: (dlqId: string) => Promise<boolean>,
) => {
  const entries = await views.find('deadLetters', {
    filter: { organizationId, ...filterOf(chosen) },
    sort: oldestFirst,
    limit,
  });
  const dlqIds = entries.map(({ dlqId }) => dlqId);
  let redriven = 0;
  for (let from = 0; !dryRun && from < dlqIds.length; from += together) {
    const outcomes = await Promise.all(dlqIds.slice(from, from + together).map(redriveOne));
    redriven += outcomes.filter(Boolean).length;
  }
  return { matched: dlqIds.length, redriven, dryRun, dlqIds };
};

const filterOf = ({ status, projectId, appId, from, to }: RedriveBody): ViewFilter => ({
  status: status ?? { $in: ['pending', 'failed'] },
  ...(projectId === undefined ? {} : { projectId: projectId.toLowerCase() }),
  ...(appId === undefined ? {} : { appId: appId.toLowerCase() }),
  ...(from === undefined && to === undefined ? {} : { createdAt: between(from, to) }),
});

/** As they are kept, times sort as text. */
const between = (from: string | undefined, to: string | undefined) => ({
  ...(from === undefined ? {} : { $gte: normalTime(from) }),
  ...(to === undefined ? {} : { $lte: normalTime(to) }),
});
