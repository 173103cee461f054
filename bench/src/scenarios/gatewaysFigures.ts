import type { Figure } from '../measure/comparison.js';

const work: readonly Figure[] = [
  { name: 'publishing', label: '1st gateway us/message', unit: 'microseconds' },
  { name: 'subscribed', label: '2nd gateway', unit: 'microseconds' },
  { name: 'broker', label: 'broker', unit: 'microseconds' },
  { name: 'generator', label: 'generator', unit: 'microseconds' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

const rate: Figure = { name: 'messagesPerSecond', label: 'messages/s', unit: 'rate' };

export const saturatedHopFigures: readonly [Figure, ...Figure[]] = [rate, ...work];

export const hopFigures: readonly [Figure, ...Figure[]] = [
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  rate,
  ...work,
];
