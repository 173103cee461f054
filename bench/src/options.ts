import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { Scenario, Settings } from './scenarios/scenario.js';

export interface Options extends Settings {
  readonly scenarios: readonly Scenario[];
  readonly json: string | undefined;
  /** Where a chart of each comparison goes. */
  readonly charts: string | undefined;
  /** Where the data of the programs goes. */
  readonly folder: string;
}

/** What is wrong with the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const limits = { seconds: { min: 0.2, max: 60 }, runs: { min: 1, max: 25 } };

/** Undefined when help is asked for. Throws a `UsageError`. */
export const readOptions = (args: readonly string[], all: readonly Scenario[]): Options | undefined => {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  return {
    scenarios: chosen(positionals, values.engines, all),
    seconds: numberIn('seconds', values.seconds),
    runs: Math.round(numberIn('runs', values.runs)),
    json: values.json,
    charts: values.charts,
    folder: values.folder,
    before: values.before,
  };
};

export const usage = (all: readonly Scenario[]): string =>
  [
    'npm run bench -- [names…] [--engines] [--seconds N] [--runs N] [--json file] [--charts folder] [--folder folder] [--before folder]',
    '',
    ...all.map(
      ({ name, summary, needsEngines }) => `  ${name.padEnd(10)} ${summary}${needsEngines ? ' (*)' : ''}`,
    ),
    '',
    '  --engines  also what runs on engines (*): takes Java, Maven and Go, and runs otherwise only when it is named',
    '  --seconds  of each counted phase (3)',
    '  --runs     rounds of each peer; fewer than 3 tell little (3)',
    '  --json     writes every figure of every round to a file',
    '  --charts   draws each comparison as SVG into a folder',
    '  --before   a built checkout of another version, for what compares with it (meta-history)',
    '  --folder   where data is kept meanwhile; on the disk to be measured (the system’s temporary folder)',
    '',
  ].join('\n');

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: { type: 'string', default: '3' },
        runs: { type: 'string', default: '3' },
        json: { type: 'string' },
        charts: { type: 'string' },
        engines: { type: 'boolean', default: false },
        folder: { type: 'string', default: tmpdir() },
        before: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

const chosen = (
  names: readonly string[],
  withEngines: boolean,
  all: readonly Scenario[],
): readonly Scenario[] => {
  const asked = new Set(names.map(plain));
  const isNamed = ({ name }: Scenario): boolean => asked.has(plain(name));
  const unknown = names.filter((name) => !all.some((scenario) => plain(scenario.name) === plain(name)));
  if (unknown.length > 0) throw new UsageError(`There is no measurement named ${unknown.join(', ')}`);
  return all.filter((scenario) =>
    scenario.needsEngines ? withEngines || isNamed(scenario) : names.length === 0 || isNamed(scenario),
  );
};

/** `fan-out` may be called `fanOut`. */
const plain = (name: string): string => name.replaceAll('-', '').toLowerCase();

const numberIn = (name: keyof typeof limits, text: string): number => {
  const { min, max } = limits[name];
  const value = Number(text);
  if (!(value >= min && value <= max))
    throw new UsageError(`--${name} must be a number from ${min} to ${max}`);
  return value;
};
