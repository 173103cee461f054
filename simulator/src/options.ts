import { parseArgs } from 'node:util';
import { knownFaults } from './known-faults/knownFaults.js';

export interface Options {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Fresh seeds for so long, instead of a number of them; 0 for that number. */
  readonly forMs: number;
  readonly showsTrace: boolean;
  readonly fault: string | undefined;
  readonly stopsAtFailure: boolean;
}

export const usage = `npm run simulate -- [--seed N] [--seeds M | --minutes N | --hours N] [--trace] [--fault name [--until-found]]

  --seed         the first seed; without it one of the time of day
  --seeds        how many, each the one before plus one; 1 by default
  --minutes      fresh seeds for so long
  --hours        the same
  --trace        prints all that happened, also of a seed that passes
  --fault        puts a known fault into the code: ${Object.keys(knownFaults).join(', ')}
  --until-found  stops at the first seed that fails
`;

/** Undefined when help is asked for. Throws for what is not understood. */
export const readOptions = (args: readonly string[], now: number): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '0' },
      hours: { type: 'string', default: '0' },
      fault: { type: 'string' },
      trace: { type: 'boolean', default: false },
      'until-found': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const numberOf = (name: 'seed' | 'seeds' | 'minutes' | 'hours', text: string): number => {
    const number = Number(text);
    if (!(number >= 0)) throw new RangeError(`--${name} must be a number, and is ${text}`);
    return number;
  };
  const { fault } = values;
  if (fault !== undefined && !Object.hasOwn(knownFaults, fault))
    throw new RangeError(`There is no known fault ${fault}`);
  return {
    firstSeed: values.seed === undefined ? now % 1_000_000_000 : numberOf('seed', values.seed),
    seeds: numberOf('seeds', values.seeds),
    forMs: numberOf('minutes', values.minutes) * 60_000 + numberOf('hours', values.hours) * 3_600_000,
    showsTrace: values.trace,
    fault,
    stopsAtFailure: values['until-found'],
  };
};
