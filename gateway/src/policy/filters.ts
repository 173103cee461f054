import type { FilterEntry } from '@roomwire/shared/contracts/protocol/filterEntry';
import { maxFilters, maxFilterValues } from '@roomwire/shared/contracts/protocol/limits';
import type { RefusalName } from '@roomwire/shared/contracts/protocol/refusals';

/** The filters of a subscription, arranged for matching. */
export interface FilterSet {
  readonly values: ReadonlySet<string>;
  /** Each wants all of its values on the message. */
  readonly groups: readonly (readonly string[])[];
}

const forbiddenCharacter = /[/#+|]/;

const isFilterValue = (value: string): boolean => value !== '' && !forbiddenCharacter.test(value);

const isGroup = (entry: FilterEntry): entry is readonly string[] => typeof entry !== 'string';

/** What is wrong with the filters of a subscription, if anything is. */
export const refusedFilters = (entries: readonly FilterEntry[]): RefusalName | undefined => {
  const groups = entries.filter(isGroup);
  if (entries.length > maxFilters || groups.some((group) => group.length > maxFilters))
    return 'tooManyFilters';
  const values = entries.flat();
  if (values.length > maxFilterValues) return 'tooManyFilters';
  const isSound = values.every(isFilterValue) && groups.every((group) => group.length >= 2);
  return isSound ? undefined : 'invalidFilterChars';
};

/** Undefined for no filters: such a subscription gets every message. */
export const filterSet = (entries: readonly FilterEntry[]): FilterSet | undefined =>
  entries.length === 0
    ? undefined
    : {
        values: new Set(entries.filter((entry) => typeof entry === 'string')),
        groups: entries.filter(isGroup),
      };

/** A message without filter values matches no filter. Costs a look-up a value, of the set and of the message. */
export const matchesFilters = (set: FilterSet, onMessage: ReadonlySet<string>): boolean =>
  intersects(onMessage, set.values) ||
  set.groups.some((group) => group.every((value) => onMessage.has(value)));

const intersects = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean => {
  for (const value of some) if (others.has(value)) return true;
  return false;
};
