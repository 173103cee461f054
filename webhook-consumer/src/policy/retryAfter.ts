const seconds = /^\d{1,9}$/;
/** IMF-fixdate and the older forms of RFC 9110, 5.6.7, all of which begin with the day of the week. */
const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
/** The form of `asctime`, which names no time zone: it is UTC. */
const withoutZone = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** [HOOK-RETRY-6] The wait that `Retry-After` asks for, in milliseconds; undefined where it says nothing that can be read. */
export const retryAfterMs = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (seconds.test(text)) return Number(text) * 1_000;
  const at = date.test(text) ? Date.parse(withoutZone.test(text) ? `${text} GMT` : text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
};
