import { deadLetterStatuses, type DeadLetterStatus } from '@roomwire/shared/domain/dead-letters/deadLetter';
import type { JsonSchema } from '../http/route.js';

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
