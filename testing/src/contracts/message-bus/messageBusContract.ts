import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { jobs, notes, type BusUnderTest } from './busUnderTest.js';
import { channelsContract } from './channelsContract.js';
import { delaysContract } from './delaysContract.js';
import { headersContract } from './headersContract.js';
import { lagContract } from './lagContract.js';
import { queuesContract } from './queuesContract.js';

const closingContract = (current: () => BusUnderTest): void => {
  it('is reachable while it is open', async () => {
    const { bus } = current();
    await bus.send(notes, { key: 'a', value: 1 }, 'stored');
    await bus.put(jobs, { key: 'a', value: 1 });
    expect(bus.reachable).to.equal(true);
  });

  it('refuses every call after it was closed', async () => {
    const { bus } = current();
    await bus.close();
    const note = { key: 'a', value: 1 };
    const uses = [
      () => bus.send(notes, note, 'none'),
      () => bus.send(notes, note, 'stored'),
      () => bus.put(jobs, note),
      () => bus.read(notes, { interest: 'all' }, () => {}),
      () => bus.work(jobs, { concurrency: 1 }, async () => {}),
      () => bus.lag(),
    ];
    for (const use of uses) {
      const outcome = await use().then(
        () => 'resolved',
        (error: unknown) => error,
      );
      expect(outcome).to.be.instanceOf(EngineUnavailable);
    }
  });

  it('may be closed more than once', async () => {
    const { bus } = current();
    await Promise.all([bus.close(), bus.close()]);
    await bus.close();
  });
};

/** What every adapter of the port guarantees. `open` returns a separate bus for each test. */
export const messageBusContract = (name: string, open: () => Promise<BusUnderTest>): void => {
  describe(`message bus: ${name}`, () => {
    let underTest: BusUnderTest;
    const current = (): BusUnderTest => underTest;

    beforeEach(async () => {
      underTest = await open();
    });
    afterEach(() => underTest.dispose());

    describe('channels', () => channelsContract(current));
    describe('work queues', () => queuesContract(current));
    describe('delayed work queues', () => delaysContract(current));
    describe('headers', () => headersContract(current));
    describe('lag', () => lagContract(current));
    describe('closing', () => closingContract(current));
  });
};
