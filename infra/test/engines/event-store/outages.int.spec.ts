import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import {
  allEvents,
  idsOf,
  newEvent,
  newEvents,
  rejectionOf,
  streamEvents,
} from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { Outage } from '@roomwire/shared/runtime/outage';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionHoldingProxy } from './eventStoreProxy.js';
import { eventStoreUnderTest, impatient } from './eventStoreUnderTest.js';

const untilAnswered = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (;;) {
    const answer = await ask().catch((error: unknown) => {
      expect(error).to.be.instanceOf(EngineUnavailable);
      return undefined;
    });
    if (answer !== undefined) return answer;
    await pause(20);
  }
};

const msFor = async (work: Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work;
  return performance.now() - start;
};

describe('EventStoreDB that is unavailable', () => {
  const { engine, openLog } = eventStoreUnderTest();
  let log: EventLog;
  beforeEach(async () => {
    log = await openLog();
  });

  it('is reported at once when its port is closed', async () => {
    await log.append('room-1', 'none', [newEvent()]);
    await engine().kill('SIGKILL');
    const patient = await openLog({ answersWithinMs: 5_000, givesUpAfterMs: 8_000 });
    for (const one of [log, patient]) {
      for (const ask of [
        () => one.append('room-1', 0, [newEvent()]),
        () => streamEvents(one, 'room-1'),
        () => allEvents(one),
        () => one.head(),
      ]) {
        const asking = rejectionOf(ask());
        expect(await msFor(asking)).to.be.below(3_000);
        expect(await asking).to.be.instanceOf(EngineUnavailable);
      }
    }
  });

  it('is one log line, and one when it is back, for all that goes on meanwhile', async () => {
    const { logger, lines } = createRecordingLogger();
    const outage = new Outage({ logger, lost: 'It is away', back: 'It is back' });
    const told = await openLog({ outage });
    const followers = ['one', 'other'].map(() =>
      told.subscribeAll(undefined, { onEvents: async () => undefined }),
    );
    await told.append('room-1', 'none', [newEvent()]);
    await engine().kill('SIGKILL');
    for (let count = 0; count < 20; count += 1) await rejectionOf(told.head());
    await rejectionOf(told.append('room-1', 0, [newEvent()]));
    expect(lines.map(({ message }) => message)).to.eql(['It is away']);
    expect(lines[0]?.fields?.['reason']).to.match(/UNAVAILABLE/);
    await engine().restart();
    await untilAnswered(() => told.append('room-1', 0, [newEvent()]));
    expect(lines.map(({ message }) => message)).to.eql(['It is away', 'It is back']);
    await Promise.all(followers.map((follower) => follower.close()));
  });

  it('is used again as soon as it listens, however long it was unavailable', async () => {
    await log.append('room-1', 'none', [newEvent()]);
    await engine().kill('SIGKILL');
    // Every attempt makes the next one of the same channel come later.
    for (let count = 0; count < 30; count += 1) await rejectionOf(log.head());
    await pause(2_000);
    await rejectionOf(log.head());
    await engine().restart();
    expect(await msFor(untilAnswered(() => log.append('room-1', 0, [newEvent()])))).to.be.below(1_000);
  }).timeout(60_000);

  it('loses no acknowledged event when it is killed, and no event is written twice', async () => {
    let writing = true;
    const write = async (stream: string): Promise<string[]> => {
      const acknowledged: string[] = [];
      for (let revision = 1; writing; revision += 2) {
        const events = newEvents(2);
        const expected = revision === 1 ? 'none' : revision - 2;
        const result = await untilAnswered(() => log.append(stream, expected, events));
        expect(result.revision).to.equal(revision);
        acknowledged.push(...idsOf(events));
      }
      return acknowledged;
    };
    const streams = Array.from({ length: 16 }, (_, index) => `room-${index}`);
    const writers = Promise.all(streams.map(write));
    for (let kill = 0; kill < 3; kill += 1) {
      await pause(400);
      await engine().restart();
    }
    await pause(300);
    writing = false;
    const acknowledged = await writers;
    for (const [index, stream] of streams.entries()) {
      expect(idsOf(await streamEvents(log, stream))).to.deep.equal(acknowledged[index]);
    }
  }).timeout(60_000);

  it('times out when it is connected and does not answer, and what was sent meanwhile is written at most once', async () => {
    await log.append('room-1', 'none', [newEvent()]);
    engine().pause();
    const events = newEvents(2);
    const [appending, reading] = [
      rejectionOf(log.append('room-1', 0, events)),
      rejectionOf(streamEvents(log, 'room-1')),
    ];
    expect(await msFor(Promise.all([appending, reading]))).to.be.below(impatient.givesUpAfterMs + 300);
    expect(await appending).to.be.instanceOf(EngineUnavailable);
    expect(await reading).to.be.instanceOf(EngineUnavailable);
    engine().resume();
    expect(await untilAnswered(() => log.append('room-1', 0, events))).to.include({ revision: 2 });
    expect(await streamEvents(log, 'room-1')).to.have.length(3);
  });

  it('is reached over a new connection when the old one died silently', async () => {
    const proxy = await connectionHoldingProxy(engine().url);
    const throughProxy = await openLog({ url: proxy.url });
    await throughProxy.append('room-1', 'none', [newEvent()]);
    proxy.holdConnections();
    expect(await throughProxy.append('room-1', 0, [newEvent()])).to.include({ revision: 1 });
    proxy.holdConnections();
    expect(await streamEvents(throughProxy, 'room-1')).to.have.length(2);
    await throughProxy.close();
    await proxy.close();
  });

  it('ends no process by an error that arrives after a reader has left', async () => {
    for (let count = 0; count < 4; count += 1) {
      const events = newEvents(1_000);
      // Which a busy machine may not take in time.
      await untilAnswered(() => log.append(`room-${count}`, 'none', events));
    }
    for await (const batch of log.readAll()) {
      expect(batch).not.to.be.empty;
      break;
    }
    await engine().kill('SIGKILL');
    await rejectionOf(log.head());
  });
});
