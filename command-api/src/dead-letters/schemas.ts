import { deadLetterStatuses, type DeadLetterStatus } from '@roomwire/shared/domain/dead-letters/deadLetter';
import type { JsonSchema } from '../http/route.js';
import { strictObject, timeSchema, titled, uuidSchema } from '../http/schema.js';

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

/** Of one request: whoever has more asks again. */
export const mostRedriven = 1_000;

/** Which entries are tried again, all that are given together; those that are marked dead never are. */
export interface RedriveBody {
  readonly status?: 'pending' | 'failed';
  readonly projectId?: string;
  readonly appId?: string;
  /** When they were recorded, both inclusive. */
  readonly from?: string;
  readonly to?: string;
  /** The oldest of them. */
  readonly limit?: number;
  /** True when absent: says what would be tried again. */
  readonly dryRun?: boolean;
}

export const redriveBodySchema: JsonSchema = titled(
  'RedriveFilter',
  strictObject({
    status: { type: 'string', enum: ['pending', 'failed'] },
    projectId: uuidSchema,
    appId: uuidSchema,
    from: { ...timeSchema, description: 'Recorded then or later' },
    to: { ...timeSchema, description: 'Recorded then or before' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: mostRedriven,
      default: mostRedriven,
      description: 'At most so many, the oldest',
    },
    dryRun: { type: 'boolean', default: true },
  }),
);
