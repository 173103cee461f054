import { randomUUID } from 'node:crypto';
import { organizationTarget } from '@roomwire/command-api/organizations/decider';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import type { Adapters } from '../../../../src/engines/adapters.js';
import { recordDeadLetters, type FailedCall } from '../../../support/deadLetters.js';
import { executeOn } from '../../../support/eventLogAccess.js';

export interface SeededOrganization {
  readonly organizationId: string;
  /** A pending one, and one that failed. */
  readonly deadLetterIds: readonly [string, string];
  write(stores: Pick<Adapters, 'log' | 'payloads'>): Promise<void>;
}

/** An organization with dead letters, which no endpoint makes. */
export const seedOrganization = (): SeededOrganization => {
  const organizationId = randomUUID();
  const organization = { organizationId, name: 'Organization', plan: unlimitedPlan };
  const entries = [newEntry(organizationId, 'pending'), newEntry(organizationId, 'failed')] as const;
  return {
    organizationId,
    deadLetterIds: [entries[0].dlqId, entries[1].dlqId],
    async write(stores) {
      const log = await stores.log();
      await executeOn(log, { organizationId, projectId: null })(organizationTarget(organizationId), {
        type: 'CreateOrganization',
        organization,
      });
      await recordDeadLetters(stores, entries);
    },
  };
};

const newEntry = (organizationId: string, status: 'pending' | 'failed'): FailedCall => ({
  dlqId: randomUUID(),
  organizationId,
  projectId: randomUUID(),
  appId: randomUUID(),
  kind: 'trigger',
  url: 'https://example.com/trigger',
  requestHeaders: { authorization: 'Bearer customer' },
  requestBody: { roomName: 'room', topicName: 'chat', actorId: randomUUID(), data: null, scope: null },
  responseStatus: status === 'pending' ? 503 : 404,
  error: 'It did not work',
  retryCount: status === 'pending' ? 2 : 0,
  status,
});
