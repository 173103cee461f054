import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { openEventStoreDbLog } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import { createChainedEventLog } from '@roomwire/shared/adapters/event-log/chainedEventLog';
import { withoutProofs } from '@roomwire/testing/fakes/withoutProofs';
import { eventLogContract } from '@roomwire/testing/contracts/event-log/eventLogContract';
import { startEventStore } from '@roomwire/testing/engines/eventStore';
import { EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import {
  allEvents,
  idsOf,
  newEvent,
  newEvents,
  rejectionOf,
  streamEvents,
} from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { expect } from 'chai';
import { eventStoreUnderTest, impatient } from './eventStoreUnderTest.js';

const realUrl = process.env['ROOMWIRE_TEST_EVENTSTORE_URL'];

/** A real database is shared, so each log there has streams of its own; otherwise each has a server of its own. */
const database = async () => {
  if (realUrl) return { url: realUrl, streamPrefix: `test-${randomUUID()}-`, close: async () => undefined };
  const engine = await startEventStore();
  return { url: engine.url, streamPrefix: '', close: () => engine.close() };
};

const logOnEventStoreDb =
  (as: (log: EventLog) => EventLog): Parameters<typeof eventLogContract>[1] =>
  async () => {
    const { close, ...options } = await database();
    let log = as(await openEventStoreDbLog(options));
    return {
      log,
      reopen: async () => {
        await log.close();
        log = as(await openEventStoreDbLog(options));
        return log;
      },
      dispose: async () => {
        await log.close();
        await close();
      },
    };
  };

eventLogContract(
  'EventStoreDB',
  logOnEventStoreDb((log) => log),
);
eventLogContract(
  'EventStoreDB, with audit chains',
  logOnEventStoreDb((log) =>
    withoutProofs(createChainedEventLog(log, { current: new Uint8Array(32).fill(7) })),
  ),
);

describe('appends to EventStoreDB', () => {
  const { engine, openLog } = eventStoreUnderTest();
  let log: EventLog;
  beforeEach(async () => {
    log = await openLog();
  });

  describe('whose answer is lost', () => {
    it('are sent again and written once', async () => {
      const events = newEvents(2);
      await engine().swallowAnswers(1);
      const result = await log.append('room-1', 'none', events);
      expect(result.revision).to.equal(1);
      expect(idsOf(await allEvents(log))).to.deep.equal(idsOf(events));
      expect(await log.head()).to.equal(result.position);
    });

    it('cause no conflict when others append after them meanwhile', async () => {
      const events = newEvents(2);
      await engine().swallowAnswers(1);
      const appending = log.append('room-1', 'none', events);
      const other = await openLog();
      await other.append('room-1', 1, [newEvent()]).catch((error: unknown) => {
        expect(error).to.be.instanceOf(RevisionConflict);
        return other.append('room-1', 1, [newEvent()]);
      });
      expect((await appending).revision).to.equal(1);
      expect(await streamEvents(log, 'room-1')).to.have.length(3);
    });

    it('are never duplicated nor answered with a conflict, in 120 appends', async () => {
      for (let revision = 0; revision < 120; revision += 1) {
        if (revision % 3 > 0) await engine().spoilAnswers(revision % 3);
        const expected = revision === 0 ? 'none' : revision - 1;
        expect(await log.append('room-1', expected, [newEvent()])).to.include({ revision });
      }
      expect(await streamEvents(log, 'room-1')).to.have.length(120);
    }).timeout(60_000);

    it('are written completely or not at all, however early the answer times out', async () => {
      for (let answersWithinMs = 2; answersWithinMs <= 42; answersWithinMs += 5) {
        const events = newEvents(1_000);
        const stream = `room-${answersWithinMs}`;
        const hasty = await openLog({ answersWithinMs, givesUpAfterMs: 300 });
        await hasty.append(stream, 'none', events).catch((error: unknown) => {
          expect(error).to.be.instanceOf(EngineUnavailable);
        });
        expect(await log.append(stream, 'none', events)).to.include({ revision: 999 });
        expect(await streamEvents(log, stream)).to.have.length(1_000);
        await hasty.close();
      }
    }).timeout(60_000);

    it('fail at the deadline, and report what became of them when they are repeated', async () => {
      const events = newEvents(2);
      await engine().swallowAnswers(10);
      const start = performance.now();
      expect(await rejectionOf(log.append('room-1', 'none', events))).to.be.instanceOf(EngineUnavailable);
      expect(performance.now() - start).to.be.within(
        impatient.answersWithinMs,
        impatient.givesUpAfterMs + 200,
      );
      await engine().swallowAnswers(0);
      expect(await log.append('room-1', 'none', events)).to.include({ revision: 1 });
      expect(await allEvents(log)).to.have.length(2);
    });
  });

  it('wait for a server that is not ready', async () => {
    await engine().refuseAppends(2);
    expect(await log.append('room-1', 'none', [newEvent()])).to.include({ revision: 0 });
  });

  it('are not affected by faults of other clients in the process', async () => {
    const other = await openLog();
    await log.append('taken', 'none', [newEvent()]);
    await engine().refuseAppends(40);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 ? log : other).append(index % 4 ? `room-${index}` : 'taken', 'none', [newEvent()]),
      ),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (index % 4) expect(outcome.status).to.equal('fulfilled');
      else expect(outcome).to.have.property('reason').that.is.instanceOf(RevisionConflict);
    }
    expect(await allEvents(log)).to.have.length(151);
  });

  it('report conflicts also when the URL disables that in the client', async () => {
    const silent = await openLog({ url: `${engine().url}&throwOnAppendFailure=false` });
    await log.append('room-1', 'none', newEvents(3));
    expect(await rejectionOf(silent.append('room-1', 1, [newEvent()]))).to.be.instanceOf(RevisionConflict);
  });

  it('reach the leader of the cluster when they are sent to another node', async () => {
    const leader = await startEventStore();
    await engine().pointToLeader(leader.port);
    expect(await log.append('room-1', 'none', [newEvent()])).to.include({ revision: 0 });
    const elsewhere = await openLog({ url: leader.url });
    expect(await streamEvents(elsewhere, 'room-1')).to.have.length(1);
    const other = await openLog();
    expect(await streamEvents(other, 'room-1')).to.have.length(1);
    expect(await other.head()).to.equal(await elsewhere.head());
    await leader.close();
  });

  it('of two processes to one stream: one succeeds for each revision', async () => {
    const writers = [log, await openLog()];
    const appendAll = async (writer: EventLog): Promise<number> => {
      let conflicts = 0;
      for (let count = 0; count < 50;) {
        const last = (await streamEvents(writer, 'room-1')).at(-1);
        const appending = writer.append('room-1', last?.revision ?? 'none', [newEvent()]);
        const refused = await appending.then(
          () => undefined,
          (error: unknown) => error,
        );
        if (refused === undefined) count += 1;
        else expect(refused).to.be.instanceOf(RevisionConflict);
        conflicts += refused === undefined ? 0 : 1;
      }
      return conflicts;
    };
    await Promise.all(writers.map(appendAll));
    const revisions = (await streamEvents(log, 'room-1')).map(({ revision }) => revision);
    expect(revisions).to.deep.equal(Array.from({ length: 100 }, (_, index) => index));
  });

  describe('that cannot be stored', () => {
    const expectRefused = async (append: Promise<unknown>, error: ErrorConstructor): Promise<void> => {
      expect(await rejectionOf(append)).to.be.instanceOf(error);
      expect(await allEvents(log)).to.deep.equal([]);
      await log.append('room-2', 'none', [newEvent()]);
    };

    it('because they are too large', () =>
      expectRefused(log.append('room-1', 'none', [newEvent('x'.repeat(1_100_000))]), RangeError));

    it('because they are not JSON', async () => {
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      await expectRefused(log.append('room-1', 'none', [newEvent(circular)]), TypeError);
    });

    it('because they are empty', () =>
      expectRefused(log.append('room-1', 'none', [{ ...newEvent(), data: undefined }]), TypeError));

    it('because their types are those of system events', async () => {
      await expectRefused(log.append('$room', 'none', [newEvent()]), RangeError);
      expect(
        await rejectionOf(log.append('room-1', 'none', [{ ...newEvent(), type: '$created' }])),
      ).to.be.instanceOf(RangeError);
    });

    it('because their id is not a UUID', () =>
      expectRefused(log.append('room-1', 'none', [{ ...newEvent(), id: 'one' }]), RangeError));
  });
});
