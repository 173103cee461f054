import { expect } from 'chai';
import { openEmbeddedConnectionRecord } from '@roomwire/shared/adapters/connection-record/embeddedConnectionRecord';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { ConnectionEnd, ConnectionRecord } from '@roomwire/shared/ports/connectionRecord';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { standingMs } from '@roomwire/shared/wire/bus/connectionFacts';
import {
  authenticated,
  closed,
  FactGateway,
  standing,
  start,
} from '@roomwire/testing/builders/connectionFacts';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createConnectionKeeper, type ConnectionKeeper } from '../src/connectionKeeper.js';
import { newEvent } from './support/history.js';

const second = 1_000;
const silenceMs = 30 * second;
const day = 24 * 3_600_000;
const keptMs = 7 * day;

describe('the keeper of connections on record', () => {
  let clock: ManualClock;
  let log: EventLog;
  let record: ConnectionRecord;
  let keeper: ConnectionKeeper | undefined;
  let lines: RecordedLine[];
  let close: () => Promise<void>;
  /** What the keeper is told of the record, and how often it has looked. */
  let isCaughtUp: () => Promise<boolean>;
  let looks: number;
  let revision: number | 'none';

  beforeEach(async () => {
    clock = new ManualClock(start);
    [keeper, looks, revision] = [undefined, 0, 'none'];
    isCaughtUp = async () => true;
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    record = await openEmbeddedConnectionRecord(folder);
    close = async () => {
      await keeper?.close();
      for (const each of [log, record, folder]) await each.close();
      await temporary.remove();
    };
  });
  afterEach(() => close());

  const begin = async (): Promise<void> => {
    const recording = createRecordingLogger();
    ({ lines } = recording);
    keeper = createConnectionKeeper({
      ...{ log, record, clock, keptMs, silenceMs, lookEveryMs: 1, logger: recording.logger },
      isCaughtUp: async () => {
        looks += 1;
        return isCaughtUp();
      },
    });
    await keeper.start();
  };
  /** The looks that begin from now on have ended, so many. */
  const looked = async (times = 3): Promise<void> => {
    const wanted = looks + times;
    await eventually(() => looks > wanted, { what: 'looks of the keeper' });
  };
  const append = async (event: DomainEvent): Promise<void> => {
    const made = newEvent(event, 0);
    const metadata = { ...made.metadata, occurredAt: new Date(clock.now()).toISOString() };
    ({ revision } = await log.append('s', revision, [{ ...made, metadata }]));
  };
  const endOf = async (connectionId: string): Promise<ConnectionEnd | null | undefined> =>
    (await record.get('o1', connectionId))?.closed;
  const ids = async (): Promise<readonly string[]> => {
    const { connections } = await record.find({ organizationId: 'o1', limit: 100 });
    return connections.map(({ connectionId }) => connectionId);
  };
  const expired = async (): Promise<number | undefined> =>
    keeper && (await collectedMetrics(keeper.collect)).get('roomwire_connection_facts_expired_total');

  describe('of gateways that are killed', () => {
    let killed: FactGateway;
    let living: FactGateway;
    let knownUpTo: number;
    /** How far the clock of the living one is behind. */
    let behindMs: number;
    /** Time passes second by second, in each of which the keeper looks and the living gateway writes. */
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += second) {
        await looked(1);
        clock.pass(second);
        await record.write([living.batch([], { upTo: clock.now() - behindMs })]);
      }
      await looked(1);
    };

    beforeEach(async () => {
      behindMs = 0;
      [killed, living] = [new FactGateway('g1'), new FactGateway('g2')];
      const last = killed.batch([authenticated('c1'), authenticated('c2'), closed('c2', start + 1)]);
      knownUpTo = last.upTo;
      await record.write([last, living.batch([authenticated('d1')])]);
    });

    it('ends their connections, at some time between their last word and now, and no others', async () => {
      await begin();
      await pass(silenceMs + second);
      await eventually(async () => (await endOf('c1')) !== null);
      expect(await endOf('c1')).to.eql({
        ...{ at: clock.now(), seenOpenAt: knownUpTo, code: null, reason: 'gateway_lost', by: null },
      });
      expect((await endOf('c2'))?.reason).to.equal('');
      expect(await endOf('d1')).to.equal(null);
      await looked();
      expect(lines.map(({ level, fields }) => [level, fields])).to.eql([['warn', { lost: ['g1'] }]]);
    });

    it('waits as long as a gateway may be silent', async () => {
      await begin();
      await pass(silenceMs);
      expect([await endOf('c1'), await endOf('d1')]).to.eql([null, null]);
      clock.pass(1);
      await eventually(async () => (await endOf('c1')) !== null);
    });

    it('ends nothing while something of theirs may not be on record yet', async () => {
      isCaughtUp = async () => false;
      await begin();
      await pass(2 * silenceMs);
      expect(await endOf('c1')).to.equal(null);
      isCaughtUp = async () => true;
      await pass(silenceMs);
      expect(await endOf('c1')).to.equal(null);
      await pass(second);
      await eventually(async () => (await endOf('c1')) !== null);
      expect(await endOf('d1')).to.equal(null);
    });

    it('ends nothing while nobody can say, and counts the silence anew then', async () => {
      await begin();
      await pass(silenceMs);
      isCaughtUp = () => Promise.reject(new EngineUnavailable('message bus'));
      await pass(second);
      isCaughtUp = async () => true;
      await pass(silenceMs);
      expect(await endOf('c1')).to.equal(null);
      await pass(second);
      await eventually(async () => (await endOf('c1')) !== null);
      await eventually(() => lines.some(({ level }) => level === 'info'));
      expect(lines.map(({ message }) => message)).to.include.members([
        'The record of connections cannot be kept in order; retrying',
        'The record of connections is kept in order again',
      ]);
    });

    it('counts the silence anew where it has not looked for as long itself', async () => {
      await begin();
      await looked();
      clock.pass(day);
      await looked();
      expect([await endOf('c1'), await endOf('d1')]).to.eql([null, null]);
    });

    it('leaves open again what a gateway has that was only silent', async () => {
      await begin();
      await pass(silenceMs + second);
      await eventually(async () => (await endOf('c1')) !== null);
      await record.write([killed.batch([], { upTo: clock.now() })]);
      await looked();
      expect(await endOf('c1')).to.equal(null);
    });

    it('ends those that were killed while no keeper was there, once', async () => {
      await begin();
      await looked();
      await keeper?.close();
      clock.pass(day);
      await begin();
      await pass(silenceMs + second);
      await eventually(async () => (await endOf('c1')) !== null);
      await keeper?.close();
      const end = await endOf('c1');
      clock.pass(1_000);
      await begin();
      await pass(silenceMs + second);
      expect(await endOf('c1')).to.eql(end);
      expect(lines).to.eql([]);
    });

    it('ends nothing of gateways whose clocks are behind, or when its own is set', async () => {
      behindMs = 40 * second;
      await record.write([living.batch([], { upTo: clock.now() - behindMs })]);
      await begin();
      await pass(2 * silenceMs);
      clock.set(clock.now() + day);
      await pass(2 * silenceMs);
      expect(await endOf('d1')).to.equal(null);
      expect(lines.map(({ fields }) => fields)).to.eql([{ lost: ['g1'] }]);
    });

    it('ends those of one that is killed whose clock was ahead', async () => {
      const ahead = clock.now() + 3_600 * second;
      await record.write([killed.batch([], { upTo: ahead })]);
      await begin();
      await pass(silenceMs + second);
      await eventually(async () => (await endOf('c1')) !== null);
      expect(await endOf('c1')).to.deep.include({ at: ahead, seenOpenAt: ahead, reason: 'gateway_lost' });
    });
  });

  describe('of old facts', () => {
    let gateway: FactGateway;
    const knownFrom = async (): Promise<number> =>
      (await record.coverage({ from: clock.now(), to: clock.now() })).knownFrom;

    beforeEach(async () => {
      gateway = new FactGateway('g1');
      await record.write([
        gateway.batch([authenticated('old'), authenticated('open'), closed('old', start)]),
        gateway.batch([authenticated('new', start + day), standing('open', start + day)], {
          upTo: start + day,
        }),
        gateway.batch([], { upTo: start + 8 * day }),
      ]);
    });

    it('keeps those of the last seven days, and what tells of what was so then', async () => {
      clock.set(start + keptMs + standingMs);
      await begin();
      await looked(130);
      expect(await ids()).to.have.members(['old', 'open', 'new']);
      expect([await expired(), await knownFrom()]).to.eql([0, 0]);
    });

    it('removes those of before, counts them, and knows since when it knows everything', async () => {
      clock.set(start + keptMs + standingMs + 1);
      await begin();
      await eventually(async () => (await expired()) === 3);
      expect(await ids()).to.have.members(['open', 'new']);
      expect(await endOf('open')).to.equal(null);
      const kinds = (await record.timeline({ connectionId: 'open', limit: 10 })).map(({ fact }) => fact.kind);
      expect(kinds).to.eql(['standing']);
      expect(await knownFrom()).to.be.at.most(clock.now() - keptMs);
    });

    it('removes again and again what has become old', async () => {
      await begin();
      await looked();
      expect(await ids()).to.include('old');
      clock.set(start + keptMs + standingMs + 1);
      await eventually(async () => !(await ids()).includes('old'));
      clock.pass(day);
      await eventually(async () => (await expired()) === 5);
      expect(await ids()).to.eql([]);
    });

    it('removes them also while the record is behind', async () => {
      isCaughtUp = async () => false;
      clock.set(start + keptMs + standingMs + 1);
      await begin();
      await eventually(async () => (await expired()) === 3);
    });
  });

  describe('of projects that are deleted', () => {
    const deleted: DomainEvent = { type: 'ProjectDeleted', data: { projectId: 'p1' } };
    let gateway: FactGateway;

    beforeEach(async () => {
      gateway = new FactGateway('g1');
      const ofOther = authenticated('d1', start, { projectId: 'p2' });
      await record.write([gateway.batch([authenticated('c1'), ofOther])]);
    });

    it('removes theirs, and no others', async () => {
      await begin();
      await append({ type: 'RoomDeleted', data: { appId: 'p2', roomId: 'p1' } });
      await append(deleted);
      await eventually(async () => (await ids()).length === 1);
      expect(await ids()).to.eql(['d1']);
    });

    it('removes theirs where the project was deleted while no keeper was there', async () => {
      await append(deleted);
      await begin();
      await eventually(async () => (await ids()).length === 1);
    });

    it('removes what a gateway writes that has not heard of it', async () => {
      await begin();
      await append(deleted);
      await eventually(async () => (await ids()).length === 1);
      await record.write([gateway.batch([authenticated('late')])]);
      await eventually(async () => (await ids()).length === 1);
      expect(await ids()).to.eql(['d1']);
    });
  });
});
