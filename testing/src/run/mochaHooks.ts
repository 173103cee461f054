import process from 'node:process';
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { Context } from 'mocha';

const graceMs = 10_000;

/** Properties that have no seed of their own try the same values in every run, unless another seed is given. */
const seed = Number(process.env['ROOMWIRE_TEST_SEED'] ?? 20_261_125);
fc.configureGlobal({ seed });

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const passedLater: string[] = [];
const uncaught: string[] = [];
let latest = 'Before the first test';

// Mocha re-emits an unhandled rejection, which is lost without a listener. A service would have died of it.
process.on('unhandledRejection', (reason) => void uncaught.push(`${latest}: ${inspect(reason)}`));

/** Mocha's root hooks: what is reported besides the results of the tests. */
export const mochaHooks = {
  beforeEach(this: Context): void {
    latest = this.currentTest?.fullTitle() ?? latest;
  },

  /** A test that passed only when it was repeated is reported. */
  afterEach(this: Context): void {
    const test = this.currentTest;
    if (test?.isPassed() && (test as unknown as { currentRetry(): number }).currentRetry() > 0)
      passedLater.push(test.fullTitle());
  },

  /**
   * Runs once at the end, and in parallel runs after each file. A process that something keeps open after the last test
   * reports what it is, and exits with the result of the tests; workers of a parallel run are ended by mocha.
   */
  afterAll(): void {
    for (const title of passedLater.splice(0)) say(`Passed only at the second attempt: ${title}`);
    if (process.env['MOCHA_WORKER_ID'] === undefined)
      setTimeout(() => {
        const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
        say(`The tests have ended and left open: ${open}`);
        process.exit();
      }, graceMs).unref();
    const unhandled = uncaught.splice(0);
    if (unhandled.length > 0)
      throw new Error(`Unhandled rejections during or after:\n${unhandled.join('\n')}`);
  },
};
