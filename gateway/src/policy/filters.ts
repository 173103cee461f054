import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { maxFilters, maxFilterValues } from '@roomwire/shared/wire/protocol/limits';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';

const forbiddenCharacter = /[/#+|]/;

const isFilterValue = (value: string): boolean => value !== '' && !forbiddenCharacter.test(value);

const isGroup = (entry: FilterEntry): entry is readonly string[] => typeof entry !== 'string';

/** The error in the filters of a subscription, if any. */
export const filterError = (entries: readonly FilterEntry[]): ProtocolErrorName | undefined => {
  const groups = entries.filter(isGroup);
  if (entries.length > maxFilters || groups.some((group) => group.length > maxFilters))
    return 'tooManyFilters';
  const values = entries.flat();
  if (values.length > maxFilterValues) return 'tooManyFilters';
  const isSound = values.every(isFilterValue) && groups.every((group) => group.length >= 2);
  return isSound ? undefined : 'invalidFilterChars';
};
