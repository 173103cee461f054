import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { HistoryArchiver } from '../../../src/adapters/history/historyArchiver.js';
import type { Logger } from '../../../src/ports/logger.js';
import type { MetricSink } from '../../../src/ports/metrics.js';
import { idOf, keptMessage, otherMessage } from '../../history/keptMessages.js';
import { MemoryHistoryIndex } from '../../history/memoryHistoryIndex.js';
import { GroupMember } from '../message-bus/groupMember.js';
import { PartitionLog } from './partitionLog.js';

const large = 6 * 1024 * 1024;

describe('the archiver of kept messages', () => {
  let log: PartitionLog;
  let index: MemoryHistoryIndex;
  let members: GroupMember[];
  let archivers: HistoryArchiver[];
  let now: number;
  let errors: string[];

  const ignore = (): void => undefined;
  const logger: Logger = {
    ...{ debug: ignore, info: ignore, warn: ignore },
    error: (message) => void errors.push(message),
  };
  const start = async (
    times = { saveEveryMs: 5, checkEveryMs: 10 },
    clock = { now: () => now },
  ): Promise<GroupMember> => {
    const archiver = new HistoryArchiver({
      ...{ index, partitions: log, logger, clock, ...times },
      follow: async (_channel, _group, follower) => {
        const member = new GroupMember(log, follower);
        members.push(member);
        return member;
      },
    });
    archivers.push(archiver);
    const before = members.length;
    await archiver.start();
    await eventually(() => members.length > before);
    return members.at(-1) as GroupMember;
  };
  /** Each has the partition, as far as it knows, and no two read the same time. */
  const startTwo = async (): Promise<readonly [GroupMember, GroupMember]> => {
    const clock = { now: () => (now += 1) };
    const times = { saveEveryMs: 60_000, checkEveryMs: 60_000 };
    await Promise.all([start(times, clock), start(times, clock)]);
    await eventually(() => members.length === 2);
    return members as [GroupMember, GroupMember];
  };
  const epochsIn = (): ReadonlySet<number> => new Set(index.all.map(({ place }) => place.epoch));
  const indexed = async (): Promise<number | undefined> => (await index.partition(0))?.next;
  const isAt = (next: number): Promise<void> => eventually(async () => (await indexed()) === next);
  const idsIn = (): readonly string[] => index.all.map(({ message }) => message.id);
  const ids = (...numbers: readonly number[]): readonly string[] => numbers.map(idOf);
  const valueOf = (name: string): number => {
    const values = new Map<string, number>();
    const sink = { value: (metric: string, value: number) => void values.set(metric, value) };
    archivers.at(-1)?.collect(sink as unknown as MetricSink);
    return values.get(name) ?? Number.NaN;
  };

  beforeEach(() => {
    [log, index, members, archivers, errors] = [new PartitionLog(), new MemoryHistoryIndex(), [], [], []];
    now = 1_700_000_005_000;
  });
  afterEach(() => Promise.all(archivers.map((archiver) => archiver.close())));

  it('begins an epoch at once, also in a partition that is empty', async () => {
    await start();
    await isAt(0);
    expect(await index.partition(0)).to.eql({ epoch: now, next: 0 });
  });

  it('brings what is kept into the index, and says how far it has looked', async () => {
    log.publish(otherMessage(0), keptMessage(1), keptMessage(2), otherMessage(3));
    const member = await start();
    member.feed();
    await isAt(4);
    expect(idsIn()).to.eql(ids(1, 2));
    expect(index.all.map(({ place }) => place.offset)).to.eql([1, 2]);
    expect(valueOf('roomwire_history_archived_messages_total')).to.equal(2);
    expect(errors).to.eql([]);
  });

  it('writes little where nothing is kept', async () => {
    const member = await start({ saveEveryMs: 60_000, checkEveryMs: 60_000 });
    await isAt(0);
    const before = index.appends;
    for (let n = 0; n < 50; n += 1) {
      log.publish(otherMessage(n));
      member.feed();
      await new Promise(setImmediate);
    }
    expect(index.appends).to.equal(before);
  });

  it('tries again while the index is away', async () => {
    const member = await start();
    await isAt(0);
    index.isAway = true;
    log.publish(keptMessage(0), keptMessage(1));
    member.feed();
    await eventually(() => valueOf('roomwire_history_archive_failures_total') > 1);
    expect(valueOf('roomwire_history_archive_delay_seconds')).to.equal(5);
    index.isAway = false;
    await isAt(2);
    expect(idsIn()).to.eql(ids(0, 1));
    expect(valueOf('roomwire_history_archive_delay_seconds')).to.equal(0);
  });

  it('takes no more than it has room for while the index is away', async () => {
    const member = await start();
    await isAt(0);
    index.isAway = true;
    const body = new Uint8Array(large);
    for (let n = 0; n < 3; n += 1) {
      log.publish(keptMessage(n, 'news', { body }));
      expect(member.isPaused).to.equal(false);
      member.feed();
    }
    expect(member.isPaused).to.equal(true);
    index.isAway = false;
    await isAt(3);
    expect(member.isPaused).to.equal(false);
  });

  it('goes on where the index is, whoever was there before', async () => {
    log.publish(keptMessage(0), keptMessage(1));
    const first = await start();
    first.feed();
    await isAt(2);
    first.lose();
    await archivers[0]?.close();
    log.publish(keptMessage(2));
    const second = await start();
    expect(second.from).to.equal(2);
    second.feed();
    await isAt(3);
    expect(idsIn()).to.eql(ids(0, 1, 2));
    expect(valueOf('roomwire_history_epochs_begun_total')).to.equal(0);
  });

  it('[WS-HIST-2] begins a later epoch where records are gone before they were archived', async () => {
    log.publish(keptMessage(0), keptMessage(1), keptMessage(2));
    const member = await start();
    member.feed(1);
    await isAt(1);
    const before = await index.partition(0);
    log.expireTo(2);
    member.feed();
    await isAt(3);
    expect((await index.partition(0))?.epoch).to.be.greaterThan(before?.epoch ?? 0);
    expect(idsIn()).to.eql(ids(0, 2));
    expect(index.all.map(({ place }) => place.epoch - now)).to.eql([0, 1]);
    expect(errors).to.have.lengthOf(1);
  });

  it('[WS-HIST-2] does so where nothing comes after them either', async () => {
    const member = await start();
    await isAt(0);
    log.publish(keptMessage(0));
    log.expireTo(1);
    await isAt(1);
    expect((await index.partition(0))?.epoch).to.equal(now + 1);
    await eventually(() => member.isClosed && members.length === 2);
    log.publish(keptMessage(1));
    members.at(-1)?.feed();
    await isAt(2);
    expect((await index.partition(0))?.epoch).to.equal(now + 1);
  });

  it('[WS-HIST-2] does so where the partition begins anew', async () => {
    log.publish(keptMessage(0), keptMessage(1));
    const member = await start();
    member.feed();
    await isAt(2);
    log.recreate();
    log.publish(keptMessage(3));
    await eventually(() => members.length > 1 && members.at(-1)?.from === 0);
    members.at(-1)?.feed();
    await eventually(() => idsIn().length === 3);
    expect(await index.partition(0)).to.eql({ epoch: now + 1, next: 1 });
  });

  it('[WS-HIST-2] begins one epoch where two find the partition new at once', async () => {
    log.publish(keptMessage(0), keptMessage(1));
    const [first, second] = await startTwo();
    first.feed(1);
    await isAt(1);
    second.feed();
    await isAt(2);
    expect(idsIn()).to.eql(ids(0, 1));
    expect([...epochsIn()]).to.eql([(await index.partition(0))?.epoch]);
  });

  it('[WS-HIST-2] begins one later epoch where two find at once that records are gone', async () => {
    log.publish(keptMessage(0), keptMessage(1));
    const [first, second] = await startTwo();
    await isAt(0);
    const before = await index.partition(0);
    log.expireTo(1);
    for (const member of [first, second]) member.feed();
    await isAt(2);
    log.publish(keptMessage(2));
    first.feed();
    await isAt(3);
    expect(idsIn()).to.eql(ids(1, 2));
    const after = (await index.partition(0))?.epoch;
    expect([...epochsIn()]).to.eql([after]);
    expect(after).to.be.greaterThan(before?.epoch ?? 0);
  });

  it('archives each message once, in order, whoever has the partition and whatever fails', async () => {
    const chance = seededChance(31);
    const published: string[] = [];
    let member = await start();
    for (let n = 0; n < 300; n += 1) {
      const isKept = chance.next() < 0.6;
      log.publish((isKept ? keptMessage : otherMessage)(n));
      if (isKept) published.push(idOf(n));
      if (chance.next() < 0.4) member.feed(1 + chance.below(5));
      index.appendFault = chance.oneOf(['none', 'none', 'refused', 'written, and refused']);
      if (chance.next() < 0.1) await new Promise(setImmediate);
      if (chance.next() > 0.03) continue;
      // The one that loses the partition may still be writing.
      member.lose();
      member = await start();
    }
    index.appendFault = 'none';
    member.feed();
    await isAt(300);
    expect(idsIn()).to.eql(published);
    expect(new Set(index.all.map(({ place }) => place.epoch)).size).to.equal(1);
  });
});
