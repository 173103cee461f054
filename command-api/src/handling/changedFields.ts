import { isDeepStrictEqual } from 'node:util';

/** The requested fields whose value differs from the record's; undefined when none does and nothing happens. */
export const changedFields = <R extends object, C extends Partial<R>>(
  record: R,
  requested: C,
): C | undefined => {
  const changed = Object.entries(requested).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, record[field as keyof R]),
  );
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as C);
};
