import { parentPort, workerData } from 'node:worker_threads';
import { ThreadLink } from '@roomwire/shared/adapters/threads/threadLink';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { startBeating } from '../../src/threads/threadWatch.js';

/** What a test has its threads do. */
export interface Script {
  /** How many were asked to start. */
  readonly starts: Int32Array;
  /** Of these the first one works, and so many behind it fail. */
  readonly failures: number;
  /** How many work before those that hang. */
  readonly hangsAfter: number;
  /** What it stops at when it is asked for metrics, until this is 1: as a loop that does not end, and uses no CPU. */
  readonly gate: Int32Array;
  readonly beats: Int32Array;
}

const never = new Promise<void>(() => undefined);

if (parentPort !== null) {
  const { starts, failures, hangsAfter, gate, beats } = workerData as Script;
  startBeating(beats);
  const link = new ThreadLink(parentPort, createRecordingLogger().logger);
  link.serve('gateway', {
    start: () => {
      const before = Atomics.add(starts, 0, 1);
      if (before >= hangsAfter) return never;
      if (before > 0 && before <= failures) throw new Error(`Start ${before} fails`);
      return undefined;
    },
    collect: () => {
      Atomics.wait(gate, 0, 0);
      return [
        { name: 'roomwire_publishes_total', value: 5, labels: {} },
        { name: 'roomwire_connections_open', value: 1, labels: {} },
      ];
    },
    drain: () => undefined,
    close: () => undefined,
  });
}
