import type { Figure } from '../measure/comparison.js';

export const workColumns: readonly Figure[] = [
  { name: 'cpuPerDelivery', label: 'server us/delivery', unit: 'microseconds' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

export const saturatedFigures: readonly [Figure, ...Figure[]] = [
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  ...workColumns,
];

export const moderateFigures: readonly [Figure, ...Figure[]] = [
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  ...workColumns,
];
