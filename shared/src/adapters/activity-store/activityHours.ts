import type { ActivityCounts } from '../../ports/activityStore.js';

const minutesOfHour = 60;

export const hourOf = (minute: number): number => Math.floor(minute / minutesOfHour);

/** Its name within the hour. */
export const placeOf = (minute: number): string => String(minute % minutesOfHour);

/** What one writer has counted in one project in an hour, by minute. */
export type HourCounts = Readonly<Record<string, ActivityCounts>>;

export const accountsOf = (hour: number, counts: HourCounts) =>
  Object.entries(counts).map(([place, each]) => ({
    minute: hour * minutesOfHour + Number(place),
    counts: each,
  }));
