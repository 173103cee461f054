import { maxFilters } from '../protocol/limits.js';
import { described, list, text, type JsonSchema } from './jsonSchema.js';

const andGroup = described('Values that a publish must carry all of', {
  ...list(text, maxFilters),
  minItems: 2,
});

/** A value, or several of which a publish must carry all. */
export const filterEntry: JsonSchema = { anyOf: [text, andGroup] };

/** Of a subscription; an empty list is no filter. */
export const filterEntries: JsonSchema = list(filterEntry, maxFilters);

/** Of a publish. */
export const filterValues: JsonSchema = list(text, maxFilters);
