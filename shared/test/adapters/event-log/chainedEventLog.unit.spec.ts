import { expect } from 'chai';
import { createChainedEventLog } from '../../../src/adapters/event-log/chainedEventLog.js';
import { openEmbeddedEventLog } from '../../../src/adapters/event-log/embeddedEventLog.js';
import { openDataFolder, type DataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import { auditKeyIdOf } from '../../../src/credentials/auditKeys.js';
import { createProofCheck } from '../../../src/credentials/eventProof.js';
import type { RecordedEvent } from '../../../src/domain/eventEnvelope.js';
import { EngineUnavailable, RevisionConflict } from '../../../src/ports/errors.js';
import type { EventLog } from '../../../src/ports/eventLog.js';
import { eventLogContract } from '@roomwire/testing/contracts/event-log/eventLogContract';
import {
  newEvent,
  newEvents,
  rejectionOf,
  streamEvents,
} from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { withoutProofs } from '@roomwire/testing/fakes/withoutProofs';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const keys = { current: new Uint8Array(32).fill(7), previous: [] };

eventLogContract('embedded, with audit chains', async () => {
  const files = await temporaryFolder();
  const folder = await openDataFolder(files.path);
  const open = async () => withoutProofs(createChainedEventLog(await openEmbeddedEventLog(folder), keys));
  let log = await open();
  return {
    log,
    reopen: async () => {
      await log.close();
      return (log = await open());
    },
    dispose: async () => {
      await log.close();
      await folder.close();
      await files.remove();
    },
  };
});

describe('the audit chain of a stream', () => {
  let files: TemporaryFolder;
  let folder: DataFolder;
  let plain: EventLog;
  let log: EventLog;

  beforeEach(async () => {
    files = await temporaryFolder();
    folder = await openDataFolder(files.path);
    plain = await openEmbeddedEventLog(folder);
    log = createChainedEventLog(plain, keys);
  });
  afterEach(async () => {
    await plain.close();
    await folder.close();
    await files.remove();
  });

  /** The verdict on each event of a stream, with the MACs as they are stored. */
  const verdicts = async (stream: string) => {
    const check = createProofCheck(keys);
    let previous: string | null = null;
    return (await streamEvents(plain, stream)).map((event: RecordedEvent) => {
      const { proof } = event.metadata;
      const { revision } = event;
      const verdict = proof && check(event, proof, { stream, revision, previous });
      previous = proof?.mac ?? null;
      return verdict ?? 'none';
    });
  };
  const allSound = (count: number) => Array.from({ length: count }, () => 'sound');

  it('writes out the data of an event once, which may be long', async () => {
    let times = 0;
    const data = { toJSON: () => ({ times: (times += 1) }) };
    await log.append('room-1', 'none', [{ ...newEvent(), data }]);
    const [event] = await streamEvents(plain, 'room-1');
    expect([times, event?.data]).to.eql([1, { times: 1 }]);
    expect(await verdicts('room-1')).to.eql(allSound(1));
  });

  it('links the events of one append, of several, and of several writers', async () => {
    const other = createChainedEventLog(plain, keys);
    await log.append('room-1', 'none', newEvents(3));
    await log.append('room-1', 2, newEvents(2));
    await other.append('room-1', 4, [newEvent()]);
    await log.append('room-1', 5, newEvents(2));
    expect(await verdicts('room-1')).to.eql(allSound(8));
    const [event] = await streamEvents(log, 'room-1');
    expect(event?.metadata.proof?.keyId).to.equal(auditKeyIdOf(keys.current));
  });

  it('is over content, place and predecessor: what is changed, moved or replaced is not authentic', async () => {
    await log.append('room-1', 'none', newEvents(3));
    const [first, second] = (await streamEvents(plain, 'room-1')) as [RecordedEvent, RecordedEvent];
    const check = createProofCheck(keys);
    const place = { stream: 'room-1', revision: 1, previous: first.metadata.proof!.mac };
    const { proof } = second.metadata;
    const verdict = (event: object, at: object = {}) =>
      check({ ...second, ...event }, proof!, { ...place, ...at });
    expect(verdict({})).to.equal('sound');
    for (const changed of [
      { data: { number: 2 } },
      { id: first.id },
      { type: 'RoomDeleted' },
      { schemaVersion: 2 },
      { metadata: { ...second.metadata, principal: 'session:other' } },
    ])
      expect(verdict(changed), JSON.stringify(changed)).to.equal('not authentic');
    for (const moved of [{ stream: 'room-2' }, { revision: 2 }, { previous: null }])
      expect(verdict({}, moved), JSON.stringify(moved)).to.equal('not authentic');
    expect(createProofCheck({ current: new Uint8Array(32), previous: [] })(second, proof!, place)).to.equal(
      'unknown key',
    );
  });

  it('begins behind the events of before there were proofs', async () => {
    await plain.append('room-1', 'none', newEvents(2));
    await log.append('room-1', 1, newEvents(2));
    expect(await verdicts('room-1')).to.eql(['none', 'none', 'sound', 'sound']);
  });

  it('has one branch, whoever wins', async () => {
    const logs = [log, createChainedEventLog(plain, keys), createChainedEventLog(plain, keys)];
    await log.append('room-1', 'none', [newEvent()]);
    const appendAll = async (writer: EventLog): Promise<void> => {
      for (let count = 0; count < 40;) {
        const { revision } = (await plain.readLast('room-1'))!;
        const outcome = await writer
          .append('room-1', revision, newEvents(2))
          .catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).to.be.instanceOf(RevisionConflict);
        else count += 1;
      }
    };
    await Promise.all(logs.map(appendAll));
    expect(await verdicts('room-1')).to.eql(allSound(241));
  });

  it('refuses to append behind an event that is not there yet, as an event log does', async () => {
    await log.append('room-1', 'none', [newEvent()]);
    const racing = createChainedEventLog(
      Object.assign(Object.create(plain) as EventLog, {
        // Another writer is faster, between the look at the stream and the append.
        readStream: async function* () {
          await plain.append('room-1', 0, [newEvent()]);
          yield* [];
        },
      }),
      keys,
    );
    expect(await rejectionOf(racing.append('room-1', 1, [newEvent()]))).to.be.instanceOf(RevisionConflict);
    expect(await streamEvents(plain, 'room-1')).to.have.length(2);
  });

  it('goes on after an append whose outcome is unknown, stored or not', async () => {
    let fate: 'stored' | 'lost' | undefined;
    const failing = createChainedEventLog(
      Object.assign(Object.create(plain) as EventLog, {
        append: async (...args: Parameters<EventLog['append']>) => {
          if (fate !== 'lost') await plain.append(...args);
          if (fate !== undefined) throw new EngineUnavailable('event log');
          return { revision: (await plain.readLast(args[0]))!.revision, position: '' };
        },
      }),
      keys,
    );
    await failing.append('room-1', 'none', [newEvent()]);
    for (const next of ['stored', 'lost', 'stored', 'lost'] as const) {
      const { revision } = (await plain.readLast('room-1'))!;
      const events = newEvents(2);
      fate = next;
      await rejectionOf(failing.append('room-1', revision, events));
      fate = undefined;
      const last = (await plain.readLast('room-1'))!.revision;
      await failing.append('room-1', last, [newEvent()]);
    }
    expect(await verdicts('room-1')).to.eql(allSound(9));
  });

  it('needs to know only the heads that are in use, and reads the others again', async () => {
    const few = createChainedEventLog(plain, keys, 2);
    for (let round = 0; round < 3; round += 1)
      for (const stream of ['room-1', 'room-2', 'room-3', 'room-4'])
        await few.append(stream, round === 0 ? 'none' : round - 1, [newEvent()]);
    for (const stream of ['room-1', 'room-4']) expect(await verdicts(stream)).to.eql(allSound(3));
  });

  it('goes on under the next key', async () => {
    await log.append('room-1', 'none', newEvents(2));
    const next = { current: new Uint8Array(32).fill(8), previous: [keys.current] };
    await createChainedEventLog(plain, next).append('room-1', 1, newEvents(2));
    const check = createProofCheck(next);
    let previous: string | null = null;
    for (const event of await streamEvents(plain, 'room-1')) {
      const { revision, metadata, stream } = event;
      expect(check(event, metadata.proof!, { stream, revision, previous })).to.equal('sound');
      previous = metadata.proof!.mac;
    }
  });
});
