import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { createAuditHeads } from '@roomwire/projections/auditHeads';
import { createChainedEventLog } from '@roomwire/shared/adapters/event-log/chainedEventLog';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { AuditKeys } from '@roomwire/shared/credentials/auditKeys';
import { withoutProof } from '@roomwire/shared/credentials/eventProof';
import { auditHeadsStream, type AuditHeadsRecord } from '@roomwire/shared/domain/auditHeads';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { allEvents, newEvent, newEvents } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { verifyChains, type Witness } from '../../src/audit/verifyChains.js';

const keys: AuditKeys = { current: new Uint8Array(32).fill(1), previous: [] };

interface OpenLog {
  readonly log: EventLog;
  close(): Promise<void>;
}

const openLog = async (): Promise<OpenLog> => {
  const files = await temporaryFolder();
  const folder = await openDataFolder(files.path);
  const log = await openEmbeddedEventLog(folder);
  return {
    log,
    async close() {
      for (const each of [log, folder]) await each.close();
      await files.remove();
    },
  };
};

/** What somebody with access to the files, and without the key, could make of a log. Revisions are as they come. */
const rewritten = async (events: readonly RecordedEvent[]): Promise<OpenLog> => {
  const opened = await openLog();
  const given = [...events];
  const faked: EventLog = Object.assign(Object.create(opened.log) as EventLog, {
    head: async () => given.at(-1)?.position,
    readAll: async function* () {
      yield given;
    },
  });
  return { ...opened, log: faked };
};

describe('the audit chains of a log', () => {
  let opened: OpenLog;
  let log: EventLog;

  beforeEach(async () => {
    opened = await openLog();
    log = createChainedEventLog(opened.log, keys);
  });
  afterEach(() => opened.close());

  const heads = (on = log, options = {}) =>
    createAuditHeads({
      log: on,
      clock: systemClock,
      random: systemRandom,
      logger: createRecordingLogger().logger,
      everyMs: 5,
      ...options,
    });
  const records = async () =>
    (await allEvents(opened.log)).filter(({ stream }) => stream === auditHeadsStream);
  const recordedHeads = async () =>
    new Map(
      (await records()).flatMap(({ data }) =>
        (data as AuditHeadsRecord).heads.map(({ stream, revision }) => [stream, revision] as const),
      ),
    );
  const whenRecorded = (expected: Readonly<Record<string, number>>) =>
    eventually(async () => isDeepStrictEqual(Object.fromEntries(await recordedHeads()), expected), {
      what: JSON.stringify(expected),
    });

  const verdict = async (events: readonly RecordedEvent[], as = keys, witness?: Witness) => {
    const { log: changed, close } = await rewritten(events);
    const { findings } = await verifyChains({ log: changed, keys: as, witness });
    await close();
    return findings;
  };

  /** Two streams of five events and a record of their heads, then one more event of each. */
  const history = async (): Promise<RecordedEvent[]> => {
    const recorder = heads();
    await recorder.start();
    for (const stream of ['room-1', 'room-2']) await log.append(stream, 'none', newEvents(5));
    await whenRecorded({ 'room-1': 4, 'room-2': 4 });
    await recorder.close();
    for (const stream of ['room-1', 'room-2']) await log.append(stream, 4, [newEvent()]);
    return allEvents(opened.log);
  };
  const at = (events: readonly RecordedEvent[], stream: string, revision: number): number =>
    events.findIndex((event) => event.stream === stream && event.revision === revision);

  it('are whole as they are written, and what is not recorded yet is counted', async () => {
    const events = await history();
    const report = await verifyChains({ log: opened.log, keys });
    expect(report).to.deep.include({ events: events.length, unproven: 0, findings: [], unrecorded: 2 });
    expect(report.lastRecord?.revision).to.equal((await records()).length - 1);
  });

  it('show an event that was changed, replaced, or robbed of its proof', async () => {
    const events = await history();
    const index = at(events, 'room-1', 2);
    const event = events[index]!;
    const changed = { ...event, data: { number: 7 } };
    const what = 'is not what was appended there, or does not follow what stands before it';
    expect(await verdict(events.with(index, changed))).to.eql([`Event 2 of room-1, RoomCreated, ${what}`]);
    const robbed = await verdict(events.with(index, { ...event, metadata: withoutProof(event.metadata) }));
    expect(robbed).to.include(
      'Event 2 of room-1, RoomCreated, has no proof, though the event before it has one',
    );
  });

  it('show an event that was removed, added or moved', async () => {
    const events = await history();
    const index = at(events, 'room-1', 2);
    expect(await verdict(events.toSpliced(index, 1))).to.eql(['Event 2 of room-1 is missing']);
    const foreign = { ...events[at(events, 'room-2', 5)]!, stream: 'room-1', revision: 6 };
    expect(await verdict([...events, foreign])).to.have.length(1);
    const [two, three] = [events[index]!, events[index + 1]!];
    const moved = events.with(index, { ...three, revision: 2 }).with(index + 1, { ...two, revision: 3 });
    expect(await verdict(moved)).to.not.be.empty;
    expect(await verdict([...events, { ...events[index]!, position: '9'.repeat(16) }])).to.eql([
      'Event 2 of room-1, RoomCreated, stands behind event 5 of its stream',
    ]);
  });

  it('show a stream that was cut off, or is gone, by the records of heads', async () => {
    const events = await history();
    const cut = events.filter(({ stream, revision }) => stream !== 'room-1' || revision < 3);
    const what = 'event 4 of room-1 was there';
    for (const some of [cut, events.filter(({ stream }) => stream !== 'room-1')])
      expect(await verdict(some)).to.satisfy(
        (found: string[]) => found.length === 1 && found[0]?.startsWith('Cut off') && found[0].endsWith(what),
      );
  });

  it('show a stream that was written again without proofs, or by the service after a cut', async () => {
    const events = await history();
    const bare = events.map((event) =>
      event.stream === 'room-1' ? { ...event, metadata: withoutProof(event.metadata) } : event,
    );
    expect(await verdict(bare))
      .to.have.length(1)
      .and.match(/^Rewritten: .* event 4 of room-1/);
    const other = await openLog();
    const service = createChainedEventLog(other.log, keys);
    await service.append('room-1', 'none', newEvents(6));
    const again = await allEvents(other.log);
    await other.close();
    let next = 0;
    const replaced = events.map((event) =>
      event.stream === 'room-1' ? { ...again[next++]!, position: event.position } : event,
    );
    expect(await verdict(replaced))
      .to.have.length(1)
      .and.match(/^Rewritten: .* event 4 of room-1/);
  });

  it('show records of heads that were cut off, to whoever has a witness', async () => {
    const events = await history();
    const [record] = (await records()).slice(-1) as [RecordedEvent];
    const witness = { revision: record.revision, mac: record.metadata.proof!.mac };
    expect(await verdict(events, keys, witness)).to.eql([]);
    const cut = events.filter((event) => event !== record && event.id !== record.id);
    expect(await verdict(cut, keys, witness)).to.eql([
      `Cut off: the witness knows record ${record.revision} of the heads, which is not there`,
    ]);
    expect(await verdict(events, keys, { ...witness, mac: 'other' })).to.have.length(1);
  });

  it('begin behind older events, which have none', async () => {
    await opened.log.append('room-1', 'none', newEvents(3));
    await log.append('room-1', 2, newEvents(2));
    await opened.log.append('room-2', 'none', newEvents(2));
    const report = await verifyChains({ log: opened.log, keys });
    expect(report).to.deep.include({ events: 7, unproven: 5, findings: [], unrecorded: 2 });
  });

  it('need their keys: the earlier ones too', async () => {
    const events = await history();
    const next = { current: new Uint8Array(32).fill(2), previous: [keys.current] };
    await createChainedEventLog(opened.log, next).append('room-1', 5, newEvents(2));
    const all = await allEvents(opened.log);
    expect(await verdict(all, next)).to.eql([]);
    expect(await verdict(events, { ...next, previous: [] }))
      .to.have.length(1)
      .and.match(/not configured/);
    const { log: same, close } = await rewritten(events);
    expect((await verifyChains({ log: same, keys: undefined })).findings).to.have.length(1);
    await close();
  });

  describe('have their heads recorded', () => {
    it('in further records as they change, and in none while nothing changes', async () => {
      const recorder = heads();
      await recorder.start();
      await log.append('room-1', 'none', newEvents(2));
      await whenRecorded({ 'room-1': 1 });
      await log.append('room-1', 1, [newEvent()]);
      await log.append('room-2', 'none', [newEvent()]);
      await whenRecorded({ 'room-1': 2, 'room-2': 0 });
      const before = (await records()).length;
      await log.append('room-3', 'none', [newEvent()]);
      await whenRecorded({ 'room-1': 2, 'room-2': 0, 'room-3': 0 });
      expect((await records()).length).to.equal(before + 1);
      await recorder.close();
    });

    it('after a restart from where the last record ends, each once', async () => {
      for (let round = 0; round < 4; round += 1) {
        const recorder = heads(log, { everyMs: 60_000 });
        await recorder.start();
        await log.append(`room-${round}`, 'none', newEvents(3));
        await recorder.close();
      }
      const last = heads();
      await last.start();
      await whenRecorded({ 'room-0': 2, 'room-1': 2, 'room-2': 2, 'room-3': 2 });
      await last.close();
      // What is not recorded when one process ends is recorded by the next.
      const all = (await records()).flatMap(({ data }) => (data as AuditHeadsRecord).heads);
      expect(all.map(({ stream }) => stream)).to.have.members(['room-0', 'room-1', 'room-2', 'room-3']);
      expect((await verifyChains({ log: opened.log, keys })).findings).to.eql([]);
    });

    it('by several instances at once, as by one', async () => {
      const recorders = [heads(createChainedEventLog(opened.log, keys)), heads(), heads()];
      for (const each of recorders) await each.start();
      const expected: Record<string, number> = {};
      for (let n = 0; n < 30; n += 1) {
        await log.append(`room-${n}`, 'none', newEvents(2));
        expected[`room-${n}`] = 1;
      }
      await whenRecorded(expected);
      for (const each of recorders) await each.close();
      const all = (await records()).flatMap(({ data }) => (data as AuditHeadsRecord).heads);
      expect(all).to.have.length(30);
      expect((await verifyChains({ log: opened.log, keys })).findings).to.eql([]);
    });

    it('in records of a bounded size, however long the log is', async () => {
      const names = Array.from({ length: 1_700 }, (_, n) => `room-${n}`);
      await Promise.all(names.map((stream) => log.append(stream, 'none', [newEvent()])));
      const recorder = heads(log, { everyMs: 60_000, headsAtOnce: 100 });
      await recorder.start();
      await eventually(async () => (await recordedHeads()).size > 1_500);
      await recorder.close();
      expect((await recordedHeads()).size).to.equal(1_700);
      const sizes = (await records()).map(({ data }) => (data as AuditHeadsRecord).heads.length);
      expect(Math.max(...sizes)).to.be.lessThan(600);
      expect((await verifyChains({ log: opened.log, keys })).findings).to.eql([]);
    });

    it('also when the engine was away, and when an answer was lost', async () => {
      const fates = ['refused', 'answer lost', 'stored'];
      const failing = Object.assign(Object.create(log) as EventLog, {
        ...log,
        append: async (...args: Parameters<EventLog['append']>) => {
          const fate = fates.length > 1 ? fates.shift() : fates[0];
          if (fate === 'refused') throw new EngineUnavailable('event log');
          const result = await log.append(...args);
          if (fate === 'answer lost') throw new EngineUnavailable('event log');
          return result;
        },
      });
      const recorder = heads(failing);
      await recorder.start();
      await log.append('room-1', 'none', [newEvent()]);
      await whenRecorded({ 'room-1': 0 });
      await log.append('room-2', 'none', [newEvent()]);
      await whenRecorded({ 'room-1': 0, 'room-2': 0 });
      await recorder.close();
      const all = (await records()).flatMap(({ data }) => (data as AuditHeadsRecord).heads);
      expect(all).to.have.length(2);
    });
  });
});
