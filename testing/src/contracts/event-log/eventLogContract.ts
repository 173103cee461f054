import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { appendContract } from './appendContract.js';
import { closingContract } from './closingContract.js';
import { concurrencyContract } from './concurrencyContract.js';
import type { EventLogUnderTest } from './eventLogUnderTest.js';
import { readingContract } from './readingContract.js';
import { subscriptionContract } from './subscriptionContract.js';

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
