import process from 'node:process';
import { inspect } from 'node:util';
import type { Context } from 'mocha';

const graceMs = 10_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const passedLater: string[] = [];
const uncaught: string[] = [];
let latest = 'Before the first test';

// Mocha hands on a rejection that nobody catches, and where nobody listens it is lost. A service would have died of it.
process.on('unhandledRejection', (reason) => void uncaught.push(`${latest}: ${inspect(reason)}`));

/** Mocha's own hooks: what was seen of the tests besides their result. */
export const mochaHooks = {
  beforeEach(this: Context): void {
    latest = this.currentTest?.fullTitle() ?? latest;
  },

  /** Where a test may be repeated, it must not go unnoticed that it had to be. */
  afterEach(this: Context): void {
    const test = this.currentTest;
    if (test?.isPassed() && (test as unknown as { currentRetry(): number }).currentRetry() > 0)
      passedLater.push(test.fullTitle());
  },

  /** A process that something keeps open after the last test says what it is, and ends with their result. */
  afterAll(): void {
    for (const title of passedLater) say(`Passed at the second attempt only: ${title}`);
    setTimeout(() => {
      say(`The tests have ended and left open: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`);
      process.exit();
    }, graceMs).unref();
    if (uncaught.length > 0) throw new Error(`Nobody caught, since or in the test:\n${uncaught.join('\n')}`);
  },
};
