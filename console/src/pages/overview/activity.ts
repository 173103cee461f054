import type { Schemas } from '../../api/schemas.js';

/** What happened in one minute; null is not known. */
export type ActivityMinute = Schemas['ActivityMinute'];

export type ActivityField = Exclude<keyof ActivityMinute, 'at'>;

/** The newest value that is known. */
export const latestOf = (minutes: readonly ActivityMinute[], field: ActivityField): number | null =>
  minutes.findLast((minute) => minute[field] !== null)?.[field] ?? null;

/** The sum of what is known; null where nothing is. */
export const sumOf = (minutes: readonly ActivityMinute[], field: ActivityField): number | null => {
  const known = minutes.flatMap((minute) => minute[field] ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
};
