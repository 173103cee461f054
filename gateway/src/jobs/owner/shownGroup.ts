import { topicNameOf } from '@roomwire/shared/domain/topic';
import type { JobGroup, PeekedJob } from '@roomwire/shared/ports/jobGroups';
import type { JobGroupRecord, StoredJob } from '@roomwire/shared/ports/jobStore';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { JobPacking } from './jobPacking.js';

/** A group as REST shows it; `oldest`: of its jobs. */
export const shownGroup = (
  { groupId, topic, name, owners, options, createdAt }: JobGroupRecord,
  counts: Pick<JobGroup, 'depth' | 'inFlight' | 'members'>,
  oldest: StoredJob | undefined,
  packing: JobPacking,
): JobGroup => ({
  ...{ groupId, topic: topicNameOf(topic), name, options, createdAt, ...counts },
  accessScopeId: owners.accessScopeId,
  oldestAt: oldest === undefined ? null : acceptedAt(packing.unpack(oldest.message).id),
});

/** A job as REST shows it. */
export const peekedJob = ({ deliveries, message }: StoredJob, packing: JobPacking): PeekedJob => {
  const { id, publisher, filters, body } = packing.unpack(message);
  const from = publisher === '' ? null : publisher;
  return { msgId: id, from, at: acceptedAt(id), deliveries, filters, body };
};
