import { annotated, listOf, matching, oneOf, text, union, type TypeOf } from '../schema.js';
import { maxFilters } from './limits.js';

/** The bus hop's quality of service. It changes nothing on the WebSocket leg. */
export const qos = oneOf(0, 1, 2);
export type Qos = TypeOf<typeof qos>;

const limited = { maxItems: maxFilters };
const andGroup = annotated(
  { description: 'Values that a publish must carry all of', minItems: 2, ...limited },
  listOf(text),
);

/** A value that a publish must carry, or an AND-group: values that it must carry all of. */
export const filterEntry = union(text, andGroup);
export type FilterEntry = TypeOf<typeof filterEntry>;

/** Of a subscription; an empty list is no filter. Number and characters are for the handler to check. */
export const filterEntries = annotated(limited, listOf(filterEntry));

export const publishIdPattern = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Which a publisher gives to a message, so that it is delivered once. */
export const publishId = matching(publishIdPattern, text);

/** Of a publish. Number and characters are for the handler to check. */
export const filterValues = annotated(limited, listOf(text));
