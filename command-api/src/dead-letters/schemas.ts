import { deadLetterStatuses, type DeadLetterStatus } from '@roomwire/shared/domain/dead-letters/deadLetter';
import type { JsonSchema } from '../http/route.js';
import { strictObject, titled, uuidSchema } from '../http/schemas.js';

export interface DeadLettersQuery {
  readonly status?: DeadLetterStatus;
  /** Clamped to 1-100, 50 when absent. */
  readonly limit?: number;
  readonly offset?: number;
}

export const deadLettersQuerySchema: JsonSchema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: [...deadLetterStatuses] },
    limit: { description: 'Entries on a page; clamped to 1-100', type: 'number', default: 50 },
    offset: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
  },
};

/** Which entries are tried again, all that are given together; those that are marked dead never are. */
export interface RedriveBody {
  readonly status?: 'pending' | 'failed';
  readonly projectId?: string;
  readonly appId?: string;
  /** True when absent: says what would be tried again. */
  readonly dryRun?: boolean;
}

export const redriveBodySchema: JsonSchema = titled(
  'RedriveFilter',
  strictObject({
    status: { type: 'string', enum: ['pending', 'failed'] },
    projectId: uuidSchema,
    appId: uuidSchema,
    dryRun: { type: 'boolean', default: true },
  }),
);
