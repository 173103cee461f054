import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { UsageError } from '../options.js';

export interface SoakOptions {
  readonly seconds: number;
  readonly clients: number;
  readonly rooms: number;
  /** Messages a second, of all clients together. */
  readonly rate: number;
  readonly seed: number;
  readonly folder: string;
  /** Whether a hostile tenant does its worst meanwhile. */
  readonly hostile: boolean;
  /** Whether it is a cluster, of which something fails each minute. */
  readonly cluster: boolean;
  /** Only attacks whose names contain this. */
  readonly attacks: string;
}

const limits = {
  seconds: { min: 10, max: 7 * 86_400 },
  clients: { min: 20, max: 10_000 },
  rooms: { min: 10, max: 1_000 },
  rate: { min: 1, max: 20_000 },
  seed: { min: 0, max: 0xffff_ffff },
};

export const soakUsage = `npm run soak -- [--seconds 3600] [--clients 1000] [--rooms 100] [--rate 400] [--seed N] [--folder folder] [--hostile] [--attacks part]
       npm run soak -- --cluster [--seconds 3600] [--rooms 12] [--rate 30] [--seed N] [--folder folder]

  --seconds  how long the load lasts; of a cluster, three minutes at least
  --clients  actors that come and go; a fifth of them agents, with sessions that persist, in worker groups
  --rate     messages a second, of all clients together
  --seed     of all choices; a random one, which is printed
  --folder   where the service keeps its data meanwhile (the system’s temporary folder)
  --hostile  beside a tenant and strangers that try to harm the others, three quarters of the time
  --attacks  only those whose names contain this, to find out which one does harm
  --cluster  three Kafka brokers and two processes of each service instead; each minute one of them, or an engine, fails
`;

const ofOneService = { rooms: '100', rate: '400' };
/** On two cores, a dozen processes leave time for little more. */
const ofCluster = { rooms: '12', rate: '30' };

/** Undefined when help is asked for. Throws a `UsageError`. */
export const readSoakOptions = (args: readonly string[], randomSeed: number): SoakOptions | undefined => {
  const values = parse(args);
  if (values.help) return undefined;
  const ofOneAlone = [values.hostile && 'hostile', values.attacks && 'attacks', values.clients && 'clients'];
  for (const name of ofOneAlone)
    if (values.cluster && name) throw new UsageError(`--${name} does not go with --cluster`);
  const usual = values.cluster ? ofCluster : ofOneService;
  return {
    seconds: numberIn('seconds', values.seconds),
    clients: Math.round(numberIn('clients', values.clients ?? '1000')),
    rooms: Math.round(numberIn('rooms', values.rooms ?? usual.rooms)),
    rate: numberIn('rate', values.rate ?? usual.rate),
    seed: Math.round(numberIn('seed', values.seed ?? String(randomSeed))),
    folder: values.folder,
    hostile: values.hostile,
    cluster: values.cluster,
    attacks: values.attacks,
  };
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '3600' },
        clients: { type: 'string' },
        rooms: { type: 'string' },
        rate: { type: 'string' },
        seed: { type: 'string' },
        folder: { type: 'string', default: tmpdir() },
        hostile: { type: 'boolean', default: false },
        cluster: { type: 'boolean', default: false },
        attacks: { type: 'string', default: '' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

const numberIn = (name: keyof typeof limits, text: string): number => {
  const { min, max } = limits[name];
  const value = Number(text);
  if (!(value >= min && value <= max))
    throw new UsageError(`--${name} must be a number from ${min} to ${max}`);
  return value;
};
