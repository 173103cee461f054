import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { expect } from 'chai';
import {
  acceptedAt,
  connectionOf,
  givenIdOf,
  markOf,
  withGivenId,
} from '@roomwire/shared/wire/bus/messageId';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { RecentIds } from '../../src/fanout/recentIds.js';
import { MessageIds } from '../../src/publishing/messageIds.js';

describe('message ids', () => {
  it('differ, also within a millisecond and when the clock is set back', () => {
    const clock = new ManualClock();
    const ids = new MessageIds(clock, systemRandom);
    const made: string[] = [];
    for (const step of [0, 1, 0, -60_000, 59_999, 1, 1]) {
      clock.set(clock.now() + step);
      for (let n = 0; n < 100; n++) made.push(ids.next());
    }
    expect(new Set(made).size).to.equal(made.length);
    expect([...made].sort()).to.deep.equal(made);
  });

  it('sort, however many are created while the clock stands still', () => {
    const ids = new MessageIds(new ManualClock(), systemRandom);
    let last = '';
    for (let n = 0; n < 36 ** 4 + 10; n++) {
      const id = ids.next();
      if (id <= last) throw new Error(`${id} came after ${last}`);
      last = id;
    }
  });

  it('differ between gateways that create them at the same moment', () => {
    const clock = new ManualClock();
    const [one, other] = [new MessageIds(clock, systemRandom), new MessageIds(clock, systemRandom)];
    expect(one.next()).not.to.equal(other.next());
  });

  it('sort by time, whichever gateway created them', () => {
    const clock = new ManualClock();
    const gateways = Array.from({ length: 5 }, () => new MessageIds(clock, systemRandom));
    const made = Array.from({ length: 20 }, (_, n) => {
      clock.set(clock.now() + 1);
      return gateways[n % gateways.length]?.next();
    });
    expect([...made].sort()).to.deep.equal(made);
  });
});

describe('the id of a message', () => {
  const clock = new ManualClock();
  const ids = new MessageIds(clock, systemRandom);
  const connection = ids.nameConnection();

  it('says when it was accepted', () => {
    expect(acceptedAt(ids.next())).to.equal(clock.now());
    expect(acceptedAt(withGivenId(ids.next(markOf(connection)), 'a.b~'))).to.equal(clock.now());
  });

  it('says by which connection it was published, and under which id', () => {
    const id = ids.next(markOf(connection));
    expect([connectionOf(id), givenIdOf(id)]).to.deep.equal([connection, undefined]);
    const given = withGivenId(id, 'a.b:c_d-e');
    expect([connectionOf(given), givenIdOf(given)]).to.deep.equal([connection, 'a.b:c_d-e']);
  });

  it('says that it was published by no connection', () => {
    expect(connection.startsWith(`${connectionOf(ids.next())}.`)).to.equal(true);
    expect(ids.nameConnection()).not.to.equal(connection);
  });
});

const upTo = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `id-${n}`);

describe('recent ids', () => {
  it('are recognized, as many as configured', () => {
    const ids = new RecentIds(10);
    for (const id of upTo(35)) expect(ids.isRepeated(id)).to.equal(false);
    for (const id of upTo(35).slice(-10)) expect(ids.isRepeated(id)).to.equal(true);
  });

  it('are forgotten after twice as many new ones', () => {
    const ids = new RecentIds(10);
    for (const id of upTo(30)) ids.isRepeated(id);
    expect(ids.isRepeated('id-9')).to.equal(false);
  });

  it('are not renewed by a duplicate, which could evict others', () => {
    const ids = new RecentIds(10);
    for (const id of upTo(10)) ids.isRepeated(id);
    for (let times = 0; times < 100; times++) expect(ids.isRepeated('id-3')).to.equal(true);
    expect(ids.isRepeated('id-0')).to.equal(true);
  });
});
