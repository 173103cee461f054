/** Places of the access log begin with the minute, so that they sort by it. */
const minuteMs = 60_000;
const digits = 10;

/** The beginning of the places of the minute of a time. */
export const minuteOf = (at: number): string =>
  String(Math.max(0, Math.floor(at / minuteMs))).padStart(digits, '0');

export const placeOf = (at: number, digest: string): string => `${minuteOf(at)}.${digest}`;

export const placePattern = String.raw`^\d{10}\.[0-9a-f]{24}$`;
