import { maxFilters } from '../protocol/limits.js';
import { described, list, text, type JsonSchema } from './jsonSchema.js';

const andGroup = described('Values that a publish must carry all of', {
  ...list(text, maxFilters),
  minItems: 2,
});

/** Of a subscription; an empty list is no filter. */
export const filterEntries: JsonSchema = list({ anyOf: [text, andGroup] }, maxFilters);

/** Of a publish. */
export const filterValues: JsonSchema = list(text, maxFilters);
