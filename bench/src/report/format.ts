import type { Unit } from '../measure/comparison.js';

const significant = (value: number): string => {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
};

const large = (value: number): string => {
  if (value >= 1_000_000) return `${significant(value / 1_000_000)} M`;
  return value >= 1_000 ? `${significant(value / 1_000)} k` : value.toFixed(0);
};

const formats: { readonly [U in Unit]: (value: number) => string } = {
  count: (value) => value.toFixed(0),
  share: (value) => value.toFixed(2),
  rate: large,
  milliseconds: (value) => `${significant(value)} ms`,
  microseconds: significant,
  percent: (value) => `${value.toFixed(0)} %`,
  kilobytes: (value) => `${significant(value)} kB`,
  megabytes: (value) => `${value.toFixed(0)} MB`,
};

/** What could not be measured here is a dash. */
export const formatValue = (value: number, unit: Unit): string =>
  Number.isFinite(value) ? formats[unit](value) : '-';

export const formatRatio = (ratio: number): string =>
  Number.isFinite(ratio) ? `${significant(ratio)}x` : '-';
