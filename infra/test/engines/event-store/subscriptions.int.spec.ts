import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import {
  allEvents,
  idsOf,
  newEvent,
  newEvents,
  rejectionOf,
} from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { RecordingSubscriber } from '@roomwire/testing/contracts/event-log/recordingSubscriber';
import { eventually } from '@roomwire/testing/run/eventually';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionHoldingProxy } from './eventStoreProxy.js';
import { eventStoreUnderTest } from './eventStoreUnderTest.js';

const placeIn = (position: string): bigint => BigInt(position.slice(0, 20));

describe('subscriptions to EventStoreDB', () => {
  const { engine, openLog } = eventStoreUnderTest();
  let log: EventLog;
  let subscriber: RecordingSubscriber;
  beforeEach(async () => {
    log = await openLog();
    subscriber = new RecordingSubscriber();
  });

  const expectComplete = async (): Promise<void> => {
    const events = await allEvents(log);
    await subscriber.hasReceived(events.length);
    expect(subscriber.ids).to.deep.equal(idsOf(events));
  };

  /** Appends all the while, and whatever the fault does, every event comes once and in order. */
  const expectCompleteThrough = async (fault: () => Promise<unknown>, times: number): Promise<void> => {
    log.subscribeAll(undefined, subscriber);
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let revision = -1; writing; revision += 1) {
        await log.append(`room-${writer}`, revision < 0 ? 'none' : revision, [newEvent()]);
      }
    });
    for (let count = 0; count < times; count += 1) {
      await subscriber.hasReceived(subscriber.events.length + 5);
      await fault();
    }
    writing = false;
    await Promise.all(writers);
    await expectComplete();
  };

  describe('continue without a gap or a repetition', () => {
    it('when the server drops them', () =>
      expectCompleteThrough(() => engine().dropSubscriptions(), 10)).timeout(60_000);

    it('when the server ends them silently', () =>
      expectCompleteThrough(() => engine().endSubscriptions(), 10)).timeout(60_000);

    it('when they receive nothing any more', () =>
      expectCompleteThrough(() => engine().silenceSubscriptions(), 3)).timeout(60_000);

    it('when the server is suspended for a while', () =>
      expectCompleteThrough(async () => {
        engine().pause();
        await pause(300);
        engine().resume();
      }, 3)).timeout(60_000);

    it('when the server is killed and restarted', async () => {
      log.subscribeAll(undefined, subscriber);
      for (let round = 0; round < 3; round += 1) {
        await log.append(`before-${round}`, 'none', newEvents(200));
        await engine().restart();
        await log.append(`after-${round}`, 'none', newEvents(3));
      }
      await expectComplete();
    }).timeout(60_000);

    it('when the connection died silently', async () => {
      const proxy = await connectionHoldingProxy(engine().url);
      const throughProxy = await openLog({ url: proxy.url });
      throughProxy.subscribeAll(undefined, subscriber);
      await log.append('room-1', 'none', newEvents(3));
      await subscriber.hasReceived(3);
      proxy.holdConnections();
      await log.append('room-1', 2, newEvents(3));
      await expectComplete();
      await throughProxy.close();
      await proxy.close();
    }).timeout(60_000);

    it('when that happens to a busy subscriber with events in its buffer', async () => {
      await log.append('room-1', 'none', newEvents(3_000));
      subscriber.hold();
      log.subscribeAll(undefined, subscriber);
      await subscriber.hasReceived(1);
      await engine().dropSubscriptions();
      await log.append('room-1', 2_999, newEvents(10));
      subscriber.release();
      await expectComplete();
    }).timeout(60_000);
  });

  it('leave none open at the server', async () => {
    const subscription = log.subscribeAll(undefined, subscriber);
    for (let count = 1; count <= 5; count += 1) {
      await log.append('room-1', count === 1 ? 'none' : count - 2, [newEvent()]);
      await subscriber.hasReceived(count);
      await (count % 2 ? engine().silenceSubscriptions() : engine().dropSubscriptions());
    }
    await log.append('room-1', 4, [newEvent()]);
    await subscriber.hasReceived(6);
    await eventually(async () => (await engine().subscriptionStarts()).length === 1);
    await subscription.close();
    await eventually(async () => (await engine().subscriptionStarts()).length === 0);
  }).timeout(60_000);

  it('receive no more than a subscriber takes, and little in advance', async () => {
    for (let count = 0; count < 20; count += 1) {
      const events = newEvents(400).map((event) => ({ ...event, data: 'x'.repeat(2_000) }));
      await log.append(`room-${count}`, 'none', [events[0]!, ...events.slice(1)]);
    }
    subscriber.hold();
    log.subscribeAll(undefined, subscriber);
    await subscriber.hasReceived(1);
    await pause(500);
    const [sent] = await engine().eventsSent();
    expect(sent).to.be.below(2_000);
    subscriber.release();
    await expectComplete();
  }).timeout(60_000);

  it('resubscribe only when the subscriber has processed what has arrived', async () => {
    await log.append('room-1', 'none', newEvents(600));
    await engine().writeSystemEvents(600);
    subscriber.hold();
    log.subscribeAll(undefined, subscriber);
    await subscriber.hasReceived(1);
    await engine().dropSubscriptions();
    await pause(400);
    expect(await engine().subscriptionStarts()).to.deep.equal([]);
    subscriber.release();
    await expectComplete();
  });

  it('do not read skipped events again after an idle time', async () => {
    const { position } = await log.append('room-1', 'none', newEvents(3));
    log.subscribeAll(undefined, subscriber);
    await subscriber.hasReceived(3);
    await engine().writeSystemEvents(1_000);
    await pause(200);
    await engine().dropSubscriptions();
    await eventually(async () => (await engine().subscriptionStarts()).length === 1);
    const [start] = await engine().subscriptionStarts();
    expect(BigInt(start!) > placeIn(position) + 50_000n).to.equal(true);
    await log.append('room-1', 2, newEvents(3));
    await expectComplete();
  });

  it('skip nothing because of a wrong checkpoint', async () => {
    await log.append('room-1', 'none', newEvents(3));
    log.subscribeAll(undefined, subscriber);
    await subscriber.hasReceived(3);
    for (const [round, wrong] of [-1, 1e9, 5_000].entries()) {
      await engine().sendCheckpoint(wrong);
      await pause(50);
      await engine().dropSubscriptions();
      await log.append('room-1', 2 + 3 * round, newEvents(3));
      await expectComplete();
    }
  });

  it('skip system events, which occupy positions', async () => {
    await log.append('room-1', 'none', [newEvent()]);
    await engine().writeSystemEvents(100);
    expect(await log.head()).to.equal((await allEvents(log)).at(-1)?.position);
    await log.append('room-1', 0, [newEvent()]);
    log.subscribeAll(undefined, subscriber);
    await expectComplete();
    expect(await allEvents(log)).to.have.length(2);
    const [first, second] = subscriber.events.map(({ position }) => placeIn(position));
    expect(second! - first! > 10_000n).to.equal(true);
  });

  it('skip events that other programs store in the database', async () => {
    const other = EventStoreDBClient.connectionString(engine().url);
    const foreign = jsonEvent({ type: 'Foreign', data: {} });
    const credentials = { username: 'other', password: 'other' }; // With them, the client appends one by one.
    await other.appendToStream('foreign', foreign, { credentials });
    const { position } = await log.append('room-1', 'none', newEvents(2));
    await other.appendToStream('foreign', { ...foreign, id: randomUUID() }, { credentials });
    log.subscribeAll(undefined, subscriber);
    await subscriber.hasCaughtUp();
    await log.append('room-1', 1, newEvents(2));
    await expectComplete();
    expect(await allEvents(log, position)).to.have.length(2);
    await other.dispose();
  });

  it('fail at a position beyond the end of the log', async () => {
    const { position } = await log.append('room-1', 'none', [newEvent()]);
    const further = position.replaceAll(/^0|(?<=-)0/g, '1');
    const subscription = log.subscribeAll(further, subscriber);
    expect(await rejectionOf(subscription.done)).to.be.instanceOf(RangeError);
    expect(await rejectionOf(allEvents(log, further))).to.be.instanceOf(RangeError);
  });

  it('fail at a position without an event, and at an invalid one', async () => {
    const { position } = await log.append('room-1', 'none', newEvents(2));
    const between = position.replaceAll(/(?<=0{14}).{6}/g, '001438');
    for (const wrong of [between, '7', '', '0000000000000001']) {
      expect(await rejectionOf(log.subscribeAll(wrong, subscriber).done), wrong).to.be.instanceOf(RangeError);
      expect(await rejectionOf(allEvents(log, wrong)), wrong).to.be.instanceOf(RangeError);
    }
  });

  it('separate logs that share the database', async () => {
    const [left, right] = [
      await openLog({ streamPrefix: 'left-' }),
      await openLog({ streamPrefix: 'right-' }),
    ];
    await left.append('room-1', 'none', newEvents(3));
    const { position } = await right.append('room-1', 'none', newEvents(2));
    await left.append('room-1', 2, newEvents(2));
    right.subscribeAll(undefined, subscriber);
    await subscriber.hasReceived(2);
    expect(subscriber.ids).to.deep.equal(idsOf(await allEvents(right)));
    expect(subscriber.events.map(({ stream }) => stream)).to.deep.equal(['room-1', 'room-1']);
    expect(await right.head()).to.equal(position);
    expect(await allEvents(left)).to.have.length(5);
  });

  it('start while the server is unavailable', async () => {
    await log.append('room-1', 'none', newEvents(3));
    await engine().kill('SIGKILL');
    log.subscribeAll(undefined, subscriber);
    await pause(300);
    await engine().restart();
    await subscriber.hasCaughtUp();
    await expectComplete();
  });
});
