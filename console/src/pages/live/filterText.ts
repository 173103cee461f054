import type { Filter } from '@roomwire/sdk';

/** Filters as one writes them: `eu, us+urgent` is what has `eu`, or both `us` and `urgent`. */
export const readFilters = (text: string): readonly Filter[] =>
  text
    .split(',')
    .map((part) =>
      part
        .split('+')
        .map((value) => value.trim())
        .filter((value) => value !== ''),
    )
    .filter((values) => values.length > 0)
    .map((values) => (values.length === 1 ? values[0] : values) as Filter);
