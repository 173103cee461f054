import type { JsonSchema } from '../http/route.js';
import { uuidSchema } from '../http/schema.js';
import { cursorPattern } from './cursor.js';

export interface OutcomesQuery {
  readonly cursor?: string;
  readonly projectId?: string;
  readonly appId?: string;
  readonly failed?: 'true' | 'false';
}

export const outcomesQuerySchema: JsonSchema = {
  type: 'object',
  properties: {
    cursor: {
      type: 'string',
      maxLength: 40,
      pattern: cursorPattern,
      description: 'Of the answer before; from now on without one',
    },
    projectId: uuidSchema,
    appId: uuidSchema,
    failed: {
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: only attempts without a 2xx; `false`: only those with one',
    },
  },
};
