import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './children.js';

const lookEveryMs = 5;
const patienceMs = 120_000;

/** Milliseconds from `startedAt` until `/readyz` answers 200, to within the 5 ms between two looks. */
export const whenReady = async (child: Child, port: number, startedAt: number): Promise<number> => {
  while (!(await isReady(port))) {
    if (child.process.exitCode !== null) throw new Error('Ended before it was ready');
    if (performance.now() - startedAt > patienceMs) throw new Error('Not ready in time');
    await wait(lookEveryMs);
  }
  return performance.now() - startedAt;
};

const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const asking = get(
      { host: '127.0.0.1', port, path: '/readyz', headers: { connection: 'close' } },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    // Nobody listens yet.
    asking.once('error', () => resolve(false));
  });
