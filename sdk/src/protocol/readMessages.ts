import { mapOf, optionalNumber, optionalText, text, type Fields } from './fields.js';
import type { HistoryGap, KeptMessage, MessageMeta } from './frames.js';

export const metaOf = (value: unknown): MessageMeta | undefined => {
  if (value === undefined || value === null) return undefined;
  const fields = mapOf(value, 'meta');
  const position = optionalText(fields, 'position');
  return { ...originOf(fields), ...(position !== undefined && { position }) };
};

const originOf = (fields: Fields): MessageMeta => ({
  id: text(fields, 'id'),
  at: optionalNumber(fields, 'at') ?? 0,
  from: optionalText(fields, 'from') ?? null,
});

export const keptOf = (value: unknown): KeptMessage => {
  const fields = mapOf(value, 'A message');
  const { data } = fields;
  const meta = { ...originOf(fields), position: text(fields, 'position') };
  return { data, filter: optionalText(fields, 'filter'), meta };
};

export const gapOf = (value: unknown): HistoryGap | undefined => {
  if (value === undefined || value === null) return undefined;
  const fields = mapOf(value, 'gap');
  return {
    reason: text(fields, 'reason'),
    after: optionalText(fields, 'after'),
    before: optionalText(fields, 'before'),
  };
};
