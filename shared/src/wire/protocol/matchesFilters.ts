import type { FilterEntry } from './messageOptions.js';

/** [WS-FILTER-3] A message without filter values matches no filter. */
export const matchesFilters = (entries: readonly FilterEntry[], onMessage: ReadonlySet<string>): boolean =>
  entries.some((entry) =>
    typeof entry === 'string' ? onMessage.has(entry) : entry.every((value) => onMessage.has(value)),
  );
