import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../adapter/protocol.js';
import { differenceOf, type Fields, isFields } from '../../scenario/match.js';
import { at } from '../../scenario/variables.js';
import { type Stage, withinOf } from '../stage.js';

/** Fields by which a request step says what must become of it. */
export const outcomeFields = ['error', 'result', 'save', 'within', 'eventually'] as const;

export const assertLike = (expected: unknown, actual: unknown, what: string): void => {
  const difference = differenceOf(expected, actual, '');
  if (difference !== undefined) throw new Error(`${what}: ${difference}`);
};

/** `unknown_topic` is short for an error of that name. */
export const asError = (expected: unknown): unknown =>
  typeof expected === 'string' ? { error: expected } : expected;

/** Checks how a request ended, and saves what the step wants of its result. */
export const settle = (stage: Stage, fields: Fields, outcome: Outcome): void => {
  if (fields['error'] !== undefined) {
    if (!('error' in outcome)) throw new Error(`It was not refused, but gave ${JSON.stringify(outcome.ok)}`);
    return assertLike(asError(fields['error']), outcome.error, 'The error');
  }
  if ('error' in outcome) throw new Error(`It was refused: ${JSON.stringify(outcome.error)}`);
  if ('result' in fields) assertLike(fields['result'], outcome.ok, 'The result');
  save(stage, fields['save'], outcome.ok);
};

/** `{ name: path }`: what the path leads to becomes a variable. */
export const save = ({ variables }: Stage, names: unknown, value: unknown): void => {
  if (!isFields(names)) return;
  for (const [name, path] of Object.entries(names)) variables.set(name, at(value, String(path)));
};

const betweenLooksMs = 25;

/** Tries until it does not throw, or the time of the step is over: then with the last error. */
export const eventually = async (fields: Fields, look: () => Promise<void>): Promise<void> => {
  const deadline = performance.now() + withinOf(fields);
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(betweenLooksMs);
    }
  }
};

/** Rejects when the promise has not settled within the time of the step. */
export const inTime = async <T>(promise: Promise<T>, fields: Fields): Promise<T> => {
  const withinMs = withinOf(fields);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer came within ${withinMs} ms`)), withinMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
