type Claims = Readonly<Record<string, unknown>>;

/** A time beyond it, in seconds, is one in milliseconds. */
const latestSeconds = 100_000_000_000;

/** `now`: milliseconds since 1970. */
export const faultsOfTimes = ({ exp, nbf }: Claims, now: number): readonly string[] => {
  const faults: string[] = [];
  for (const [name, time] of Object.entries({ exp, nbf })) {
    if (time === undefined) continue;
    if (typeof time !== 'number') faults.push(`Its ${name} is not a number`);
    else if (time > latestSeconds)
      faults.push(`Its ${name} is in milliseconds: seconds since 1970 are meant`);
  }
  if (typeof exp === 'number' && exp * 1_000 <= now) faults.push(`It expired at ${timeOf(exp)}`);
  if (typeof nbf === 'number' && nbf <= latestSeconds && nbf * 1_000 > now)
    faults.push(`It is not valid before ${timeOf(nbf)} (nbf): is a clock wrong?`);
  return faults;
};

export const factsOfTimes = ({ iat, nbf, exp }: Claims, now: number): readonly string[] => {
  const facts: string[] = [];
  for (const [name, time] of Object.entries({ iat, nbf, exp }))
    if (typeof time === 'number' && time <= latestSeconds) facts.push(`${name} ${timeOf(time)}`);
  if (typeof exp === 'number' && exp * 1_000 > now && exp <= latestSeconds)
    facts.push(`it expires in ${Math.round((exp * 1_000 - now) / 1_000)} s`);
  if (exp === undefined) facts.push('it never expires by itself');
  return facts;
};

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();
