import { mapOf, optional, text, type Fields } from './fields.js';
import type { HistoryGap, KeptMessage, MessageMeta } from './frames.js';

export const metaOf = (value: unknown): MessageMeta | undefined => {
  if (value === undefined || value === null) return undefined;
  const fields = mapOf(value, 'meta');
  const position = optional(fields, 'position', 'string');
  return { ...originOf(fields), ...(position !== undefined && { position }) };
};

const originOf = (fields: Fields): MessageMeta => ({
  id: text(fields, 'id'),
  at: optional(fields, 'at', 'number') ?? 0,
  from: optional(fields, 'from', 'string') ?? null,
});

export const keptOf = (value: unknown): KeptMessage => {
  const fields = mapOf(value, 'A message');
  const { data } = fields;
  const meta = { ...originOf(fields), position: text(fields, 'position') };
  return { data, filter: optional(fields, 'filter', 'string'), meta };
};

export const gapOf = (value: unknown): HistoryGap | undefined => {
  if (value === undefined || value === null) return undefined;
  const fields = mapOf(value, 'gap');
  return {
    reason: text(fields, 'reason'),
    after: optional(fields, 'after', 'string'),
    before: optional(fields, 'before', 'string'),
  };
};
