import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { EventLogUnderTest } from './eventLogUnderTest.js';
import { allEvents, idsOf, newEvent, newEvents, rejectionOf, streamEvents } from './eventLogUnderTest.js';
import { RecordingSubscriber } from './recordingSubscriber.js';

export const closingContract = (underTest: () => EventLogUnderTest): void => {
  it('refuses appends afterwards', async () => {
    const { log } = underTest();
    const closing = log.close();
    const event = newEvent();
    expect(await rejectionOf(log.append('room-1', 'none', [event]))).to.be.instanceOf(EngineUnavailable);
    await closing;
    expect(await rejectionOf(log.append('room-1', 'none', [event]))).to.be.instanceOf(EngineUnavailable);
  });

  it('may be repeated', async () => {
    const { log } = underTest();
    await Promise.all([log.close(), log.close()]);
    await log.close();
  });

  it('waits for running appends', async () => {
    const { log } = underTest();
    let settled = 0;
    const appends = Array.from({ length: 50 }, (_, index) =>
      log.append(`room-${index}`, 'none', [newEvent()]).finally(() => (settled += 1)),
    );
    await log.close();
    expect(settled).to.equal(50);
    await Promise.all(appends);
  });

  it('ends the subscriptions after the current batch', async () => {
    const { log } = underTest();
    const subscriber = new RecordingSubscriber();
    subscriber.hold();
    const subscription = log.subscribeAll(undefined, subscriber);
    await log.append('room-1', 'none', [newEvent()]);
    await subscriber.hasReceived(1);
    const closing = log.close();
    subscriber.release();
    await closing;
    await subscription.done;
    expect(subscriber.batches).to.have.length(1);
  });

  describe('and reopening', () => {
    /** Runs where the adapter under test can be closed and opened again. */
    const withReopen = (test: (reopen: () => Promise<EventLog>) => Promise<void>) =>
      async function (this: Mocha.Context): Promise<void> {
        const current = underTest();
        if (!current.reopen) return this.skip();
        await test(() => current.reopen!());
      };

    it(
      'keeps every event at its position',
      withReopen(async (reopen) => {
        const { log } = underTest();
        await log.append('room-1', 'none', newEvents(3));
        const { position } = await log.append('room-2', 'none', newEvents(600));
        const before = await allEvents(log);
        const reopened = await reopen();
        expect(await allEvents(reopened)).to.deep.equal(before);
        expect(await streamEvents(reopened, 'room-1')).to.deep.equal(before.slice(0, 3));
        expect(await reopened.head()).to.equal(position);
      }),
    );

    it(
      'continues with the same revisions and later positions',
      withReopen(async (reopen) => {
        const { position } = await underTest().log.append('room-1', 'none', newEvents(3));
        const reopened = await reopen();
        const next = await reopened.append('room-1', 2, [newEvent()]);
        expect(next.revision).to.equal(3);
        expect(next.position > position).to.equal(true);
      }),
    );

    it(
      'answers a repeated append as before',
      withReopen(async (reopen) => {
        const events = newEvents(2);
        const first = await underTest().log.append('room-1', 'none', events);
        const reopened = await reopen();
        expect(await reopened.append('room-1', 'none', events)).to.deep.equal(first);
        expect(await reopened.head()).to.equal(first.position);
      }),
    );

    it(
      'lets a subscription resume where an earlier one ended',
      withReopen(async (reopen) => {
        const { position } = await underTest().log.append('room-1', 'none', newEvents(3));
        const later = newEvents(2);
        await underTest().log.append('room-1', 2, later);
        const reopened = await reopen();
        const subscriber = new RecordingSubscriber();
        reopened.subscribeAll(position, subscriber);
        await subscriber.hasCaughtUp();
        expect(subscriber.ids).to.deep.equal(idsOf(later));
      }),
    );
  });
};
