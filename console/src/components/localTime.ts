/** ISO 8601 as a `datetime-local` input has it: of the reader's time zone, and without one. */
export const localTime = (iso: string): string => {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, -1);
};

/** The other way round; empty for what is no time. */
export const utcTime = (local: string): string => {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString();
};
