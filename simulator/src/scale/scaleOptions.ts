import { parseArgs } from 'node:util';

export interface ScaleOptions {
  /** Numbers of gateways, the smallest first. */
  readonly sizes: readonly number[];
  readonly seed: number;
  /** Gateways of each cluster that are measured one by one. */
  readonly observed: number;
  /** Where the figures and charts are written; undefined for figures on the standard output alone. */
  readonly out: string | undefined;
}

export const usage = `npm run simulate:scale -- [--sizes 10,50,…] [--seed N] [--observed N] [--out folder]

  --sizes     numbers of gateways, each of which brings 20,000 connections; 10,50,100,200,500 by default
  --seed      where projects and clients lie, and when they come; 1 by default
  --observed  gateways of each cluster that are measured one by one; 4 by default
  --out       a folder for figures.md and the charts
`;

/** Placements are kept in 16 bits. */
const mostGateways = 2 ** 16;

/** Undefined when help is asked for. Throws for what is not understood. */
export const readScaleOptions = (args: readonly string[]): ScaleOptions | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: 'string', default: '10,50,100,200,500' },
      seed: { type: 'string', default: '1' },
      observed: { type: 'string', default: '4' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const sizes = values.sizes.split(',').map((size) => whole('sizes', size, 2, mostGateways));
  return {
    sizes: sizes.sort((a, b) => a - b),
    seed: whole('seed', values.seed, 0, 2 ** 32 - 1),
    observed: whole('observed', values.observed, 1, mostGateways),
    out: values.out,
  };
};

const whole = (name: string, text: string, least: number, most: number): number => {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`--${name} must be whole numbers from ${least} to ${most}, and has ${text}`);
};
