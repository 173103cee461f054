import { hashKey } from '@tanstack/react-query';

/** A change of a part of a record. Others may have changed the rest of it since it was shown: that stays as it is now. */
export interface Edit<Shown, Changes> {
  /** What is changed. */
  readonly part: (shown: Shown) => unknown;
  /** The body of the request. */
  readonly changes: (now: Shown) => Changes;
}

/** The edit of what was entered, without the fields that are as they were shown. */
export const editOf = <Shown extends object, Changes extends object>(
  shown: Shown,
  entered: Changes,
): Edit<Shown, Changes> => {
  const fieldsShown = new Map(Object.entries(shown));
  const edited = Object.entries(entered).filter(([name, value]) => !isSame(value, fieldsShown.get(name)));
  return {
    part: (from) => edited.map(([name]) => from[name as keyof Shown]),
    changes: () => Object.fromEntries(edited) as Changes,
  };
};

/** What to send for the record as it is now; undefined where the part to change is no longer as it was shown. */
export const changesNow = <Shown, Changes>(
  { part, changes }: Edit<Shown, Changes>,
  shown: Shown,
  now: Shown,
): Changes | undefined => (isSame(part(shown), part(now)) ? changes(now) : undefined);

/** JSON, in which the order of keys says nothing. */
export const isSame = (one: unknown, other: unknown): boolean => hashKey([one]) === hashKey([other]);
