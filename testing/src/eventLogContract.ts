import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { appendContract } from './event-log/appendContract.js';
import { closingContract } from './event-log/closingContract.js';
import { concurrencyContract } from './event-log/concurrencyContract.js';
import { readingContract } from './event-log/readingContract.js';
import { subscriptionContract } from './event-log/subscriptionContract.js';

export interface EventLogUnderTest {
  /** An empty log. */
  readonly log: EventLog;
  /** Closes the log that is open and opens it again, for engines that are started and stopped with it. */
  reopen?(): Promise<EventLog>;
  /** Closes what is open and removes what was kept. */
  dispose(): Promise<void>;
}

/** What every adapter of the `EventLog` port guarantees. */
export const eventLogContract = (name: string, open: () => Promise<EventLogUnderTest>): void => {
  describe(`event log: ${name}`, () => {
    let underTest: EventLogUnderTest;

    beforeEach(async () => {
      underTest = await open();
    });
    afterEach(() => underTest.dispose());

    const log = (): EventLog => underTest.log;
    describe('append', () => appendContract(log));
    describe('concurrent appends', () => concurrencyContract(log));
    describe('reading', () => readingContract(log));
    describe('subscribing', () => subscriptionContract(log));
    describe('closing', () => closingContract(() => underTest));
  });
};
