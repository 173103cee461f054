import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  authenticated,
  closed,
  FactGateway,
  start,
  subscribed,
} from '@roomwire/testing/builders/connectionFacts';
import { reopenable, type Reopenable } from '@roomwire/testing/contracts/reopenable';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedConnectionRecord } from '../../../src/adapters/connection-record/embeddedConnectionRecord.js';
import { FactIndexer } from '../../../src/adapters/connection-record/factIndexer.js';
import type { ConnectionRecord, TimeSpan } from '../../../src/ports/connectionRecord.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import { connectionFacts, type FactBatch } from '../../../src/wire/bus/connectionFacts.js';
import type { GroupFollower } from '../../../src/adapters/message-bus/kafka/groupReader.js';
import { PartitionLog } from '../history/partitionLog.js';
import { GroupMember } from '../message-bus/groupMember.js';

type IndexedRecord = Pick<ConnectionRecord, 'write' | 'nextOffset' | 'moveOffset' | 'resetOffset'>;

/** Of which a test says when it fails, and that notes how often it was asked. */
class UncertainRecord implements IndexedRecord {
  /** `late`: it does what it is asked, and the answer is lost. */
  fails: 'never' | 'at once' | 'late' = 'never';
  /** What else happens once facts are written, before that is known. */
  onWritten = async (): Promise<void> => undefined;
  failed = 0;
  private readonly record: () => ConnectionRecord;

  constructor(record: () => ConnectionRecord) {
    this.record = record;
  }

  async write(batches: readonly FactBatch[]): Promise<void> {
    await this.uncertainly(() => this.record().write(batches));
    await this.onWritten();
  }

  nextOffset(): Promise<number | undefined> {
    return this.record().nextOffset();
  }

  moveOffset(next: number): Promise<void> {
    return this.uncertainly(() => this.record().moveOffset(next));
  }

  resetOffset(known: number, next: number): Promise<void> {
    return this.uncertainly(() => this.record().resetOffset(known, next));
  }

  private async uncertainly(act: () => Promise<void>): Promise<void> {
    const { fails } = this;
    if (fails !== 'at once') await act();
    if (fails === 'never') return;
    this.failed += 1;
    throw new EngineUnavailable('connection record');
  }
}

describe('the indexer of facts of connections', () => {
  let opened: Reopenable<ConnectionRecord>;
  let store: ConnectionRecord;
  let record: UncertainRecord;
  let log: PartitionLog;
  let gateway: FactGateway;
  let members: GroupMember[];
  let indexers: FactIndexer[];
  let lines: RecordedLine[];
  let logger: ReturnType<typeof createRecordingLogger>['logger'];

  beforeEach(async () => {
    const folder = await temporaryFolder();
    const files = { file: (name: string) => join(folder.path, name) };
    opened = await reopenable(
      () => openEmbeddedConnectionRecord(files),
      () => folder.remove(),
    );
    ({ store } = opened);
    record = new UncertainRecord(() => store);
    [log, gateway, members, indexers] = [new PartitionLog(), new FactGateway('g1'), [], []];
    ({ logger, lines } = createRecordingLogger());
  });
  afterEach(async () => {
    await Promise.all(indexers.map((indexer) => indexer.close()));
    await opened.dispose();
  });

  const begin = async (indexed: IndexedRecord = record): Promise<FactIndexer> => {
    const indexer = new FactIndexer({
      ...{ partitions: log, record: indexed, logger, betweenTriesMs: 1 },
      follow: async (_channel, _group, follower) => {
        const member = new GroupMember(log, follower);
        members.push(member);
        return member;
      },
    });
    indexers.push(indexer);
    const before = members.length;
    await indexer.start();
    await eventually(() => members.length > before);
    return indexer;
  };
  const member = (): GroupMember => members.at(-1) as GroupMember;
  /** As gateways leave it on the bus. */
  const send = (...batches: readonly FactBatch[]): void => {
    for (const batch of batches)
      log.store({
        key: Buffer.from(batch.gateway),
        value: Buffer.from(connectionFacts.codec.encode(batch)),
        headers: {},
      });
  };
  const isAt = (next: number): Promise<void> =>
    eventually(async () => (await store.nextOffset()) === next, { what: `the offset ${next}` });
  const kinds = async (connectionId: string): Promise<readonly string[]> =>
    (await store.timeline({ connectionId, limit: 1_000 })).map(({ fact }) => fact.kind);
  const gapsOf = async (name: string): Promise<readonly TimeSpan[] | undefined> => {
    const { gateways } = await store.coverage({ from: 0, to: Number.MAX_SAFE_INTEGER });
    return gateways.find((life) => life.gateway === name)?.gaps;
  };
  const shown = (indexer: FactIndexer) => collectedMetrics(indexer.collect);
  const levels = (): readonly string[] => lines.map(({ level }) => level);

  it('brings facts into the record, and says when it has all of them', async () => {
    send(gateway.batch([authenticated('c1')]), gateway.batch([subscribed('c1', start + 1)]));
    const indexer = await begin();
    expect(await indexer.isCaughtUp()).to.equal(false);
    member().feed();
    await isAt(2);
    await eventually(() => indexer.isCaughtUp());
    expect(await kinds('c1')).to.eql(['authenticated', 'subscribed']);
    expect((await shown(indexer)).get('roomwire_connection_facts_indexed_total')).to.equal(2);
    send(gateway.batch());
    expect(await indexer.isCaughtUp()).to.equal(false);
    expect(lines).to.eql([]);
  });

  for (const fails of ['at once', 'late'] as const)
    it(`repeats a batch whose write fails ${fails}, and has its facts once`, async () => {
      const indexer = await begin();
      record.fails = fails;
      send(gateway.batch([authenticated('c1')]), gateway.batch([subscribed('c1', start + 1)]));
      member().feed();
      await eventually(() => record.failed > 3);
      expect(await store.nextOffset()).to.equal(undefined);
      expect(await indexer.isCaughtUp()).to.equal(false);
      record.fails = 'never';
      await isAt(2);
      expect(await kinds('c1')).to.eql(['authenticated', 'subscribed']);
      expect((await store.get('o1', 'c1'))?.subscriptions).to.equal(1);
      expect(await gapsOf('g1')).to.eql([]);
      await eventually(() => indexer.isCaughtUp());
      const metrics = await shown(indexer);
      expect(metrics.get('roomwire_connection_record_failures_total')).to.equal(record.failed);
      expect(metrics.get('roomwire_connection_facts_indexed_total')).to.equal(2);
      await eventually(() => levels().length === 2);
      expect(levels()).to.eql(['warn', 'info']);
    });

  it('goes on behind what comes while a write fails', async () => {
    await begin();
    record.fails = 'at once';
    send(gateway.batch([authenticated('c1')]));
    member().feed();
    await eventually(() => record.failed > 0);
    send(gateway.batch([closed('c1', start + 1)]), gateway.batch([authenticated('c2', start + 2)]));
    member().feed();
    record.fails = 'never';
    await isAt(3);
    expect(await kinds('c1')).to.eql(['authenticated', 'closed']);
    expect(await kinds('c2')).to.eql(['authenticated']);
  });

  it('takes no more than it can keep while the record is away, and all of it afterwards', async () => {
    await begin();
    record.fails = 'at once';
    send(gateway.batch([authenticated('c1')]));
    for (let n = 2; n < 1_000; n += 1) send(gateway.batch([], { upTo: start + n }));
    send(gateway.batch([authenticated('c2', start + 1_000)]));
    while (!member().isPaused && member().from < 1_000) member().feed(50);
    expect(member().from).to.be.within(100, 150);
    record.fails = 'never';
    await eventually(() => {
      if (!member().isPaused) member().feed(50);
      return member().from === 1_000;
    });
    await isAt(1_000);
    expect([await kinds('c1'), await kinds('c2')]).to.eql([['authenticated'], ['authenticated']]);
    expect(await gapsOf('g1')).to.eql([]);
  });

  it('passes over a batch that comes twice, or behind a later one, and knows what is missing', async () => {
    const [first, second, third] = [
      gateway.batch([authenticated('c1')]),
      gateway.batch([subscribed('c1', start + 1)]),
      gateway.batch([closed('c1', start + 2)]),
    ];
    send(first, first, third, second, third);
    await begin();
    member().feed();
    await isAt(5);
    expect(await kinds('c1')).to.eql(['authenticated', 'closed']);
    expect(await gapsOf('g1')).to.eql([{ from: first.upTo, to: third.from }]);
  });

  it('keeps gateways apart whose facts come out of order', async () => {
    const other = new FactGateway('g2');
    const early = gateway.batch([authenticated('c1')]);
    send(other.batch([authenticated('d1', start + 10)]), other.batch([closed('d1', start + 20)]), early);
    await begin();
    member().feed();
    await isAt(3);
    const { connections } = await store.find({ organizationId: 'o1', limit: 10 });
    expect(connections.map(({ connectionId }) => connectionId)).to.eql(['d1', 'c1']);
    expect([await gapsOf('g1'), await gapsOf('g2')]).to.eql([[], []]);
  });

  it('has a gap where it cannot read a batch, and goes on behind it', async () => {
    const [before, unread, behind] = [
      gateway.batch([authenticated('c1')]),
      gateway.batch([subscribed('c1', start + 1)]),
      gateway.batch([authenticated('c2', start + 2)]),
    ];
    send(before);
    log.store({ key: Buffer.from(unread.gateway), value: Buffer.from('of a later version'), headers: {} });
    send(behind);
    await begin();
    member().feed();
    await isAt(3);
    expect(await kinds('c2')).to.eql(['authenticated']);
    expect(await gapsOf('g1')).to.eql([{ from: unread.from, to: unread.upTo }]);
    expect(levels()).to.eql(['error']);
  });

  it('has facts once that were written before it was killed, and not said to be', async () => {
    send(gateway.batch([authenticated('c1')]), gateway.batch([subscribed('c1', start + 1)]));
    const killed = await begin({
      write: (batches) => record.write(batches),
      nextOffset: () => record.nextOffset(),
      resetOffset: (known, next) => record.resetOffset(known, next),
      moveOffset: () => new Promise(() => undefined),
    });
    member().feed();
    await eventually(async () => (await kinds('c1')).length === 2);
    // It never comes back: nothing waits for it to close.
    indexers.splice(indexers.indexOf(killed), 1);
    store = await opened.reopen();
    expect(await store.nextOffset()).to.equal(undefined);

    await begin();
    expect(member().from).to.equal(0);
    send(gateway.batch([closed('c1', start + 2)]));
    member().feed();
    await isAt(3);
    expect(await kinds('c1')).to.eql(['authenticated', 'subscribed', 'closed']);
    expect(await store.get('o1', 'c1')).to.deep.include({ subscriptions: 1 });
    expect(await gapsOf('g1')).to.eql([]);
  });

  it('begins where the record says, whoever wrote last', async () => {
    send(gateway.batch([authenticated('c1')]), gateway.batch([subscribed('c1', start + 1)]));
    const first = await begin();
    member().feed(1);
    await isAt(1);
    await first.close();
    await begin();
    expect(member().from).to.equal(1);
    member().feed();
    await isAt(2);
    expect(await kinds('c1')).to.eql(['authenticated', 'subscribed']);
  });

  it('begins at what is left where the rest has expired, and at the beginning of a topic that was made again', async () => {
    send(gateway.batch([authenticated('c1')]), gateway.batch(), gateway.batch([closed('c1', start + 1)]));
    log.expireTo(2);
    const first = await begin();
    expect(member().from).to.equal(2);
    member().feed();
    await isAt(3);
    await first.close();

    log.recreate();
    send(new FactGateway('g2').batch([authenticated('c2')]));
    await begin();
    expect(member().from).to.equal(0);
    member().feed();
    await isAt(1);
    expect(await kinds('c2')).to.eql(['authenticated']);
  });

  it('begins again where the topic is made anew under it, once', async () => {
    send(gateway.batch([authenticated('c1')]), gateway.batch());
    const indexer = await begin();
    member().feed();
    await isAt(2);
    log.recreate();
    send(new FactGateway('g2').batch([authenticated('c2')]));
    const [cut] = members;
    cut?.feed();
    await eventually(() => members.length === 2);
    expect(cut?.isClosed).to.equal(true);
    member().feed();
    await isAt(1);
    await eventually(() => indexer.isCaughtUp());
    expect(await kinds('c2')).to.eql(['authenticated']);
    expect([members.length, member().isClosed]).to.eql([2, false]);
  });

  it('leaves what waits to whoever has the partition now, and asks the record before it reads again', async () => {
    send(gateway.batch([authenticated('c1')]), gateway.batch([subscribed('c1', start + 1)]));
    const indexer = await begin();
    record.fails = 'at once';
    const [before] = members;
    before?.feed(1);
    await eventually(() => record.failed > 0);
    // Another process has brought in what waits here.
    await store.write([new FactGateway('g1').batch([authenticated('c1')])]);
    await store.moveOffset(1);
    before?.lose();
    expect(await indexer.isCaughtUp()).to.equal(false);
    await eventually(() => members.length === 2);
    record.fails = 'never';
    expect(member().from).to.equal(1);
    member().feed();
    await isAt(2);
    expect(await kinds('c1')).to.eql(['authenticated', 'subscribed']);
    // The record is further before the indexer has counted.
    await eventually(async () => (await shown(indexer)).get('roomwire_connection_facts_indexed_total') === 1);
  });

  describe('that stands by', () => {
    let follower: GroupFollower | undefined;
    /** Its members get the partition when the test says so. */
    const standBy = async (askEveryMs?: number): Promise<void> => {
      follower = undefined;
      const indexer = new FactIndexer({
        ...{ partitions: log, record, logger, betweenTriesMs: 1, ...(askEveryMs && { askEveryMs }) },
        follow: async (_channel, _group, following) => {
          if (follower !== undefined) members.push(new GroupMember(log, following));
          follower ??= following;
          return members.at(-1) ?? { pause() {}, resume() {}, commit: async () => {}, close: async () => {} };
        },
      });
      indexers.push(indexer);
      await indexer.start();
      await eventually(() => follower !== undefined);
    };
    const broughtInElsewhere = async (): Promise<void> => {
      const batches = [gateway.batch([authenticated('c1')]), gateway.batch([subscribed('c1', start + 1)])];
      send(...batches);
      await store.write(batches);
      await store.moveOffset(2);
    };

    it('asks the record when it gets the partition, and follows anew from where that is', async () => {
      await standBy();
      await broughtInElsewhere();
      const late = new GroupMember(log, follower as GroupFollower);
      expect(late.from).to.equal(0);
      late.feed();
      await eventually(() => members.length === 1);
      expect([member().from, await store.nextOffset()]).to.eql([2, 2]);
      send(gateway.batch([closed('c1', start + 2)]));
      member().feed();
      await isAt(3);
      expect(await kinds('c1')).to.eql(['authenticated', 'subscribed', 'closed']);
    });

    it('knows where the record is before it gets the partition', async () => {
      await standBy(1);
      await broughtInElsewhere();
      const { asked } = log;
      const before = asked.bounds;
      await eventually(() => asked.bounds > before + 2);
      expect(new GroupMember(log, follower as GroupFollower).from).to.equal(2);
    });
  });

  it('counts once what it was writing when it lost the partition', async () => {
    send(gateway.batch([authenticated('c1')]), gateway.batch([subscribed('c1', start + 1)]));
    const indexer = await begin();
    const [before] = members;
    let isLost = false;
    record.onWritten = async () => {
      if (!isLost) before?.lose();
      isLost = true;
    };
    before?.feed();
    await eventually(() => members.length === 2);
    // The record had been told that those two are there.
    expect(member().from).to.equal(2);
    send(gateway.batch([closed('c1', start + 2)]));
    member().feed();
    await isAt(3);
    await eventually(() => indexer.isCaughtUp());
    expect(await kinds('c1')).to.eql(['authenticated', 'subscribed', 'closed']);
    expect((await shown(indexer)).get('roomwire_connection_facts_indexed_total')).to.equal(1);
  });
});
