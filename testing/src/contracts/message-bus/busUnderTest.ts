import { Buffer } from 'node:buffer';
import type { MeasuredBus } from '@roomwire/shared/ports/messageBus';
import type { Channel, RecordCodec, WorkQueue } from '@roomwire/shared/wire/bus/channel';

export interface BusUnderTest {
  /** Delivers nothing that was sent or put in another test. */
  readonly bus: MeasuredBus;
  /**
   * A bus on what the end of the process would leave at this moment, jobs in hand undone. The first one is only
   * closed afterwards.
   */
  readonly reopen?: () => Promise<MeasuredBus>;
  readonly dispose: () => Promise<void>;
}

export interface Note {
  readonly key: string;
  readonly value: unknown;
}

const codec: RecordCodec<Note> = {
  encode: (note) => Buffer.from(JSON.stringify(note)),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as Note,
};

export const notes: Channel<Note> = { name: 'contract-notes', key: (note) => note.key, codec };
export const otherNotes: Channel<Note> = { ...notes, name: 'contract-other-notes' };

export const jobs: WorkQueue<Note> = { name: 'contract-jobs', key: (note) => note.key, codec, delayMs: 0 };
export const otherJobs: WorkQueue<Note> = { ...jobs, name: 'contract-other-jobs' };
export const overlappingJobs: WorkQueue<Note> = {
  ...jobs,
  name: 'contract-overlapping-jobs',
  overlaps: true,
};
export const delayedJobs: WorkQueue<Note> = { ...jobs, name: 'contract-delayed-jobs', delayMs: 120 };

/** Numbered from 1, the keys in turn. */
export const numbered = (count: number, ...keys: readonly [string, ...string[]]): Note[] =>
  Array.from({ length: count }, (_, n) => ({ key: keys[n % keys.length] ?? keys[0], value: n + 1 }));

export const valuesOf = (of: string, among: readonly Note[]): unknown[] =>
  among.filter(({ key }) => key === of).map(({ value }) => value);

/** A promise, and the means to resolve it. */
export interface Gate {
  readonly passed: Promise<void>;
  readonly open: () => void;
}

export const gate = (): Gate => {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
};
