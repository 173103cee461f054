import { expect } from 'chai';
import type { EventLog, LogSubscription } from '@roomwire/shared/ports/eventLog';
import { eventually } from '../../run/eventually.js';
import { allEvents, idsOf, newEvent, newEvents, rejectionOf } from './eventLogUnderTest.js';
import { RecordingSubscriber } from './recordingSubscriber.js';

export const subscriptionContract = (log: () => EventLog): void => {
  /** Every subscriber that could be given the marker has been given it when a witness has. */
  const appendSeenByWitness = async (stream: string): Promise<void> => {
    const witness = new RecordingSubscriber();
    const after = await log().head();
    const subscription = log().subscribeAll(after, witness);
    await log().append(stream, 'none', [newEvent()]);
    await witness.hasReceived(1);
    await subscription.close();
  };

  it('reports that it has caught up on an empty log', async () => {
    const subscriber = new RecordingSubscriber();
    log().subscribeAll(undefined, subscriber);
    await subscriber.hasCaughtUp();
    expect(subscriber.batches).to.deep.equal([]);
  });

  it('delivers the existing events, reports that it has caught up, and delivers new events', async () => {
    await log().append('room-1', 'none', newEvents(3));
    const subscriber = new RecordingSubscriber();
    log().subscribeAll(undefined, subscriber);
    await subscriber.hasCaughtUp();
    expect(subscriber.caughtUpAfter[0]).to.equal(3);
    await log().append('room-1', 2, newEvents(2));
    await log().append('room-2', 'none', newEvents(2));
    await subscriber.hasReceived(7);
    expect(subscriber.events).to.deep.equal(await allEvents(log()));
  });

  it('neither misses nor repeats an event between catching up and live', async () => {
    await log().append('past', 'none', newEvents(700));
    const subscriber = new RecordingSubscriber();
    log().subscribeAll(undefined, subscriber);
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (stream) => {
        for (let count = 0; count < 75; count += 1) {
          await log().append(stream, count === 0 ? 'none' : count - 1, [newEvent()]);
        }
      }),
    );
    await subscriber.hasReceived(1000);
    expect(subscriber.ids).to.deep.equal(idsOf(await allEvents(log())));
  });

  it('resumes after a position', async () => {
    await log().append('room-1', 'none', newEvents(10));
    const events = await allEvents(log());
    const subscriber = new RecordingSubscriber();
    log().subscribeAll(events[5]!.position, subscriber);
    await log().append('room-1', 9, [newEvent()]);
    await subscriber.hasReceived(5);
    expect(subscriber.events).to.deep.equal(await allEvents(log(), events[5]!.position));
  });

  it('resumes after the last position with new events', async () => {
    const { position } = await log().append('room-1', 'none', newEvents(4));
    const subscriber = new RecordingSubscriber();
    log().subscribeAll(position, subscriber);
    await subscriber.hasCaughtUp();
    expect(subscriber.batches).to.deep.equal([]);
    const next = newEvent();
    await log().append('room-1', 3, [next]);
    await subscriber.hasReceived(1);
    expect(subscriber.ids).to.deep.equal([next.id]);
  });

  it('delivers the next batch only when the last one has been processed', async () => {
    const subscriber = new RecordingSubscriber();
    subscriber.hold();
    log().subscribeAll(undefined, subscriber);
    await log().append('room-1', 'none', newEvents(2));
    await subscriber.hasReceived(1);
    await appendSeenByWitness('marker');
    expect(subscriber.batches).to.have.length(1);
    subscriber.release();
    await subscriber.hasReceived(3);
    expect(subscriber.ids).to.deep.equal(idsOf(await allEvents(log())));
  });

  it('ends when the subscriber fails, and reports the error', async () => {
    const failure = new Error('The subscriber failed');
    let calls = 0;
    const subscription = log().subscribeAll(undefined, {
      onEvents: async () => {
        calls += 1;
        throw failure;
      },
    });
    await log().append('room-1', 'none', [newEvent()]);
    expect(await rejectionOf(subscription.done)).to.equal(failure);
    await appendSeenByWitness('marker');
    expect(calls).to.equal(1);
    await subscription.close();
  });

  it('causes no unhandled rejection when it fails and `done` is not observed', async () => {
    let failed = false;
    log().subscribeAll(undefined, {
      onEvents: () => {
        failed = true;
        return Promise.reject(new Error('Not observed'));
      },
    });
    const other = new RecordingSubscriber();
    log().subscribeAll(undefined, other);
    await log().append('room-1', 'none', [newEvent()]);
    await appendSeenByWitness('marker');
    await other.hasReceived(2);
    // The witness says nothing about those that were subscribed before it: each has a connection of its own.
    await eventually(() => failed, { what: 'the failure' });
    await log().append('room-2', 'none', [newEvent()]);
    await other.hasReceived(3);
  });

  describe('close', () => {
    it('waits for the current batch, and delivers nothing after it', async () => {
      const subscriber = new RecordingSubscriber();
      subscriber.hold();
      const subscription = log().subscribeAll(undefined, subscriber);
      await log().append('room-1', 'none', [newEvent()]);
      await subscriber.hasReceived(1);
      let closed = false;
      const closing = subscription.close().then(() => (closed = true));
      await appendSeenByWitness('marker-1');
      expect(closed).to.equal(false);
      subscriber.release();
      await closing;
      await appendSeenByWitness('marker-2');
      expect(subscriber.batches).to.have.length(1);
    });

    it('resolves `done`, and may be repeated', async () => {
      const subscriber = new RecordingSubscriber();
      const subscription = log().subscribeAll(undefined, subscriber);
      await subscriber.hasCaughtUp();
      await Promise.all([subscription.close(), subscription.close()]);
      await subscription.done;
    });

    it('may be called within `onCaughtUp`', async () => {
      const subscription = await new Promise<LogSubscription>((resolve) => {
        const made: LogSubscription = log().subscribeAll(undefined, {
          onEvents: async () => undefined,
          onCaughtUp: () => {
            void made.close();
            resolve(made);
          },
        });
      });
      await subscription.close();
      await subscription.done;
    });

    it('right after subscribing prevents any delivery', async () => {
      await log().append('room-1', 'none', [newEvent()]);
      const subscriber = new RecordingSubscriber();
      await log().subscribeAll(undefined, subscriber).close();
      await appendSeenByWitness('marker');
      expect(subscriber.batches).to.deep.equal([]);
    });
  });
};
