import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { gatewayNews } from '@roomwire/shared/wire/bus/gatewayNews';
import {
  accountedPresences,
  presenceNews,
  type PresenceAccount,
} from '@roomwire/shared/wire/bus/presenceNews';
import { earlier } from '../support/manner.js';
import { PresenceCrowd } from '../support/presenceCrowd.js';

const accountsIn = ({ bus }: PresenceCrowd): readonly PresenceAccount[] =>
  bus.presences.filter((news) => news.kind === 'account');

const asksIn = ({ bus }: PresenceCrowd): number => bus.news.filter(({ kind }) => kind === 'ask').length;

const repeatedIn = ({ bus }: PresenceCrowd): number =>
  bus.presences.filter(({ kind }) => kind === 'again').length;

/** All gateways know so many. */
const settle = async (crowd: PresenceCrowd, present: number): Promise<void> =>
  eventually(() => crowd.counts.every((count) => count === present), { what: 'all tables to be whole' });

describe('accounts of presences', () => {
  let crowd: PresenceCrowd;

  const begin = async (gateways: number, rooms: number, present: number): Promise<void> => {
    crowd = new PresenceCrowd(rooms);
    await crowd.startMany(gateways);
    await crowd.enter(present);
    crowd.bus.presences.length = 0;
    crowd.bus.news.length = 0;
  };

  it('[WS-PRES-12] go to a gateway that starts alone, by room: 5,000 presences of 20 gateways', async () => {
    await begin(20, 50, 5_000);
    await crowd.start();
    await settle(crowd, 5_000);
    const accounts = accountsIn(crowd);
    expect(accounts).to.have.length(20 * 50);
    expect(accounts.flatMap((one) => accountedPresences(one))).to.have.length(5_000);
    for (const { to } of accounts) expect(to).to.deep.equal(['20']);
    expect(repeatedIn(crowd)).to.equal(0);
  });

  it('are shared by those who ask while another one is being sent', async () => {
    await begin(2, 1, 600);
    await Promise.all([crowd.start(), crowd.start(), crowd.start(), crowd.start()]);
    await settle(crowd, 600);
    const ofFirst = accountsIn(crowd).filter(({ gatewayId }) => gatewayId === '0');
    expect(new Set(ofFirst.map(({ account }) => account)).size).to.equal(2);
    expect(ofFirst.at(-1)?.to).to.have.members(['3', '4', '5']);
  });

  it('are sent in slices, each once the bus has the one before it', async () => {
    await begin(1, 1_300, 1_300);
    const waiting: (() => void)[] = [];
    crowd.bus.stored = ({ kind }) =>
      new Promise((resolve) => (kind === 'account' ? waiting.push(resolve) : resolve()));
    await crowd.start();
    for (const sent of [500, 1_000, 1_300]) {
      await eventually(() => waiting.length > 0);
      expect(accountsIn(crowd)).to.have.length(sent);
      for (const resolve of waiting.splice(0)) resolve();
    }
    await eventually(() => waiting.length > 0);
    for (const resolve of waiting.splice(0)) resolve();
    expect(crowd.counts).to.deep.equal([1_300, 1_300]);
  });

  it('are not for a process that keeps no presences: it hears that the others live', async () => {
    await begin(3, 1, 5);
    const report = { connections: {}, presenceSequence: 0, keepsPresences: false };
    const port = crowd.bus.port();
    await port.send(gatewayNews, { kind: 'hello', gatewayId: 'backends', report }, 'stored');
    await eventually(() => crowd.bus.news.filter(({ kind }) => kind === 'beat').length === 3);
    expect(accountsIn(crowd)).to.deep.equal([]);
    // What it says of its presences is all there is to know.
    await port.send(gatewayNews, { kind: 'state', gatewayId: 'backends', from: 1, upTo: 0 }, 'stored');
    await port.send(gatewayNews, { kind: 'beat', gatewayId: 'backends', number: 1, report }, 'stored');
    await turn();
    expect(asksIn(crowd)).to.equal(0);
    expect(crowd.counts).to.deep.equal([5, 5, 5]);
  });

  it('are in slices of bounded bytes', async () => {
    await begin(1, 1, 0);
    const presence = new Uint8Array(16_384);
    const [board] = crowd.boards;
    for (let connection = 0; connection < 40; connection++)
      await board?.announce({ connection, room: 'p/a/_/r', actorTokenId: `${connection}`, presence });
    await crowd.start();
    await settle(crowd, 40);
    for (const { presences } of accountsIn(crowd)) expect(presences.length).to.be.below(300_000);
  });

  it('tell of whoever comes and goes meanwhile', async () => {
    await begin(1, 10, 1_200);
    const [board] = crowd.boards;
    await crowd.start();
    expect(accountsIn(crowd)).to.have.length.below(30);
    for (let connection = 0; connection < 1_200; connection += 3) await board?.withdraw(connection);
    await crowd.enter(1, 100_000);
    await eventually(() => crowd.bus.news.some(({ kind }) => kind === 'account'));
    await settle(crowd, board?.count(() => false) ?? 0);
    expect(crowd.counts[1]).to.be.within(801, 802);
  });

  it('bring nobody back when a record of one comes twice', async () => {
    await begin(1, 1, 3);
    await crowd.start();
    await settle(crowd, 3);
    await crowd.boards[0]?.withdraw(0);
    for (const account of accountsIn(crowd)) await crowd.bus.port().send(presenceNews, account, 'stored');
    expect(crowd.counts).to.deep.equal([2, 2]);
  });

  it('are not begun again for a gateway that asks again while its own is being sent', async () => {
    await begin(1, 1, 600);
    await crowd.start();
    const port = crowd.bus.port();
    for (let ask = 0; ask < 10; ask++)
      await port.send(gatewayNews, { kind: 'ask', gatewayId: '1', to: '0' }, 'stored');
    await eventually(() => crowd.bus.news.some(({ kind }) => kind === 'account'));
    await turn();
    expect(new Set(accountsIn(crowd).map(({ account }) => account)).size).to.equal(1);
  });

  it('are asked for ever more rarely by a gateway that does not get them', async () => {
    await begin(20, 5, 100);
    let isDeaf = true;
    await crowd.start({ reads: ({ kind }) => !isDeaf || (kind !== 'account' && kind !== 'enter') });
    await crowd.seconds(600);
    // After 3, 6, 12, 24 s, and then every 30 s; it asked each of them every 3 s.
    expect(asksIn(crowd)).to.be.within(20 * 18, 20 * 23);
    isDeaf = false;
    await crowd.seconds(33);
    await settle(crowd, 100);
  });

  it('are asked for again when a part of one was lost', async () => {
    await begin(3, 20, 300);
    let lost = 0;
    const reads = ({ kind }: { readonly kind: string }): boolean => kind !== 'account' || ++lost % 7 !== 0;
    await crowd.start({ reads: (news) => lost > 60 || reads(news) });
    await eventually(() => lost > 0);
    expect(crowd.counts[3]).to.be.below(300);
    await crowd.seconds(30);
    await settle(crowd, 300);
  });

  it('repair a change that was lost, for those who missed it', async () => {
    await begin(4, 20, 300);
    let isLost = true;
    await crowd.start({ reads: (news) => !(isLost && news.kind === 'leave') });
    await settle(crowd, 300);
    await crowd.boards[0]?.withdraw(0);
    isLost = false;
    expect(crowd.counts[4]).to.equal(300);
    crowd.bus.presences.length = 0;
    await crowd.seconds(12);
    await settle(crowd, 299);
    for (const { to, gatewayId } of accountsIn(crowd)) expect([gatewayId, ...to]).to.deep.equal(['0', '4']);
  });

  it('are said to all while a gateway of an earlier version is there, which has no others', async () => {
    await begin(2, 10, 200);
    await crowd.start(earlier);
    await settle(crowd, 200);
    await crowd.start();
    await settle(crowd, 200);
    expect(accountsIn(crowd)).to.deep.equal([]);
    expect(repeatedIn(crowd)).to.be.above(0);
  });

  it('are said to all while the bus does not know that everybody reads accounts', async () => {
    crowd = new PresenceCrowd(10);
    await crowd.startMany(2, { knowsReaders: false });
    await crowd.enter(200);
    await crowd.start();
    await settle(crowd, 200);
    expect(accountsIn(crowd)).to.deep.equal([]);
    expect(repeatedIn(crowd)).to.be.above(0);
  });
});
