import type { AuditPlace } from '@roomwire/shared/ports/auditIndex';
import { timeSchema, uuidSchema } from '../http/schema.js';

export interface HistoryQuery {
  readonly projectId?: string;
  readonly resourceId?: string;
  readonly type?: string;
  readonly principal?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export const historyQuerySchema = {
  type: 'object',
  properties: {
    projectId: uuidSchema,
    resourceId: { ...uuidSchema, description: 'A record that was changed, or that an event names' },
    type: { type: 'string', maxLength: 100, description: 'As `RoomCreated`' },
    principal: {
      type: 'string',
      maxLength: 500,
      description: '`apiKey:<keyId>`, `session:<subject>` or `system`',
    },
    from: { ...timeSchema, description: 'Inclusive' },
    to: { ...timeSchema, description: 'Inclusive' },
    limit: { description: 'Events on a page; clamped to 1-100', type: 'number', default: 50 },
    cursor: {
      type: 'string',
      maxLength: 80,
      pattern: '^\\d{1,16}\\.[\\d-]{1,60}$',
      description: '`nextCursor` of the page before',
    },
  },
};

export interface StateQuery {
  readonly resourceId: string;
  readonly at?: string;
}

export const stateQuerySchema = {
  type: 'object',
  properties: { resourceId: uuidSchema, at: { ...timeSchema, description: 'Now, unless told' } },
  required: ['resourceId'],
};

export interface DiffQuery {
  readonly resourceId: string;
  readonly from: string;
  readonly to?: string;
}

export const diffQuerySchema = {
  type: 'object',
  properties: {
    resourceId: uuidSchema,
    from: timeSchema,
    to: { ...timeSchema, description: 'Now, unless told' },
  },
  required: ['resourceId', 'from'],
};

export const cursorOf = ({ time, position }: AuditPlace): string => `${time}.${position}`;

export const placeOfCursor = (cursor: string): AuditPlace => {
  const [time = '', position = ''] = cursor.split('.');
  return { time: Number(time), position };
};
