/** A value that a publish must carry, or an AND-group: values that it must carry all of. */
export type FilterEntry = string | readonly string[];
