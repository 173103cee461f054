import { expect } from 'chai';
import { lifeOf } from '../src/connection/renewal.js';
import type { ClientOptions, TokenRequest } from '../src/index.js';
import { useHarness, type Watched } from './support/harness.js';
import { clientToken } from './support/clientToken.js';
import { deferred } from '../src/primitives.js';
import type { Frame, Peer } from './support/scriptedBroker.js';

/** Unix seconds at which the tests begin. */
const start = 1_785_000_000;

describe('a token that expires', () => {
  const harness = useHarness();
  let requests: TokenRequest[];
  let give: (request: TokenRequest) => string | Promise<string>;

  beforeEach(() => {
    requests = [];
    let count = 0;
    give = () => `t${++count}`;
  });

  const connected = (reply: Partial<Frame>, options: Partial<ClientOptions> = {}) => {
    const token = (request: TokenRequest): string | Promise<string> => {
      requests.push(request);
      return give(request);
    };
    return harness.connected({ token, ...options }, reply);
  };

  /** Chance is 0.5 in these tests: the first renewal comes after 65 % of the life, and the later ones after 82.5 %. */
  const first = 78_000;
  const later = 99_000;

  /** Lets time pass in the steps in which the client looks at the clock. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 15_000) await harness.time.pass(Math.min(left, 15_000));
  };

  const renewed = async (peer: Peer, token: string, lifeSeconds: number): Promise<void> => {
    expect(await peer.next('reauth')).to.deep.equal({ type: 'reauth', token });
    const authExpiresAt = harness.time.nowMs / 1_000 + lifeSeconds;
    peer.send({ type: 'reauth', success: true, authExpiresAt });
  };

  /** What was sent before has been read. */
  const settled = async ({ client }: Watched, peer: Peer): Promise<void> => {
    const listing = client.presence('marker');
    await peer.next('getPresence');
    peer.send({ type: 'presenceList', roomId: 'marker', data: [] });
    await listing;
  };

  it('is renewed by reauth in the last part of its life, again and again, and the connection stays', async () => {
    const watched = await connected({ authExpiresAt: start + 120 });
    const { peer, client, states } = watched;
    await pass(first);
    await renewed(peer, 't2', 120);
    await settled(watched, peer);
    await pass(later);
    await renewed(peer, 't3', 120);
    await settled(watched, peer);
    expect(client.state.name).to.equal('connected');
    expect(states).to.have.length(0);
    expect(requests).to.have.length(3);
  });

  for (const [chance, firstPart, laterPart] of [
    [0, 0.4, 0.75],
    [0.999, 0.8995, 0.89985],
  ] as const)
    it(`is renewed by lot, here at ${firstPart} of the first and ${laterPart} of every later life`, async () => {
      // Lives of 10 s, so that one timer is the whole wait.
      const watched = await connected({ authExpiresAt: start + 10 }, { random: () => chance });
      await harness.time.pass(firstPart * 10_000);
      await renewed(watched.peer, 't2', 10);
      await settled(watched, watched.peer);
      await harness.time.scheduled(Math.round(laterPart * 10_000));
    });

  it('has its life from itself where the server says nothing', async () => {
    let count = 0;
    give = () => clientToken({ sub: 'a', n: ++count, iat: start, exp: start + 120 });
    const { peer } = await connected({});
    await pass(first);
    expect((await peer.next('reauth'))['token']).to.equal(
      clientToken({ sub: 'a', n: 2, iat: start, exp: start + 120 }),
    );
  });

  it('is not renewed where it does not expire, or is a text', async () => {
    const { client } = await connected({});
    expect(harness.time.pending).to.deep.equal([30_000]);
    await client.close();
    await harness.connected({}, { authExpiresAt: start + 120 });
    expect(harness.time.pending).to.deep.equal([30_000]);
  });

  it('is renewed at once when a machine wakes and finds it expired', async () => {
    const { peer } = await connected({ authExpiresAt: start + 120 });
    harness.time.nowMs += 3_600_000;
    await harness.time.pass(15_000);
    await peer.next('reauth');
  });

  it('is renewed in time although the clock was set back', async () => {
    const { peer } = await connected({ authExpiresAt: start + 120 });
    await harness.time.pass(15_000);
    harness.time.nowMs -= 3_600_000;
    await pass(first - 15_000);
    await peer.next('reauth');
  });

  it('is renewed when the server says that it expires, once', async () => {
    const answer = deferred<string>();
    const { peer, client } = await connected({ authExpiresAt: start + 3_600 });
    const told: unknown[] = [];
    client.on('tokenExpiring', (event) => told.push(event));
    give = () => answer.promise;
    const notice = { type: 'tokenExpiring', authExpiresAt: start + 30 };
    peer.send(notice);
    // By lot within 18 s.
    await harness.time.pass(9_000);
    peer.send(notice);
    answer.resolve('t2');
    await renewed(peer, 't2', 120);
    give = () => 't3';
    await pass(later);
    expect(await peer.next('reauth')).to.include({ token: 't3' });
    expect(told).to.deep.equal([notice, notice].map(({ authExpiresAt }) => ({ authExpiresAt })));
    expect(requests).to.have.length(3);
  });

  it('is renewed when it was planned, where that is soon enough after the notice', async () => {
    const watched = await connected({ authExpiresAt: start + 120 });
    await pass(75_000);
    watched.peer.send({ type: 'tokenExpiring', authExpiresAt: start + 120 });
    await settled(watched, watched.peer);
    await harness.time.pass(3_000);
    await watched.peer.next('reauth');
    expect(requests).to.have.length(2);
  });

  it('is asked for again and again while the function fails, until the server ends the connection', async () => {
    const { peer, errors, states } = await connected({ authExpiresAt: start + 120 });
    give = () => Promise.reject(new Error('no network'));
    await pass(first);
    for (const wait of [750, 1_500, 3_000]) {
      expect(await errors.next()).to.include({ error: 'token_unavailable' });
      await harness.time.pass(wait);
    }
    give = () => 't9';
    await errors.next();
    await harness.time.pass(6_000);
    await renewed(peer, 't9', 120);
    expect(states).to.have.length(0);
  });

  it('is asked for again with the refusal, and what was refused is not sent again', async () => {
    const { peer, errors } = await connected({ authExpiresAt: start + 120 });
    await pass(first);
    await peer.next('reauth');
    peer.send({ type: 'reauth', success: false, error: 'access_denied' });
    expect(await errors.next()).to.include({ name: 'AuthenticationError', error: 'access_denied' });
    give = () => 't2';
    await harness.time.pass(750);
    expect(await errors.next()).to.include({ error: 'access_denied' });
    give = () => 't3';
    await harness.time.pass(1_500);
    await renewed(peer, 't3', 120);
    expect(requests.map(({ refused }) => refused?.error)).to.deep.equal([
      ...[undefined, undefined],
      ...['access_denied', 'access_denied'],
    ]);
  });

  it('of another actor is reported, and does not become the refused one', async () => {
    const { peer, errors } = await connected({ authExpiresAt: start + 120 });
    await pass(first);
    await peer.next('reauth');
    peer.send({ type: 'reauth', success: false, error: 'actor_mismatch' });
    expect(await errors.next()).to.include({ error: 'actor_mismatch' });
    await harness.time.pass(750);
    expect(requests.at(-1)?.refused).to.equal(undefined);
  });

  it('is asked for once at a time, also by a new connection', async () => {
    const answer = deferred<string>();
    const { peer, client } = await connected({ authExpiresAt: start + 120 });
    give = () => answer.promise;
    await pass(first);
    peer.drop();
    await harness.time.pass(1_000);
    answer.resolve('t2');
    expect(await (await harness.broker.nextPeer()).accept()).to.include({ token: 't2' });
    await client.ready();
    expect(requests).to.have.length(2);
  });

  it('is given up when the function does not answer in time', async () => {
    const { errors } = await connected({ authExpiresAt: start + 120 }, { timeouts: { tokenMs: 44 } });
    give = () => deferred<string>().promise;
    await pass(first);
    await harness.time.pass(44);
    expect(await errors.next()).to.include({ error: 'token_unavailable' });
  });

  it('is not sent again where the function gives what is in use, and asked for again later', async () => {
    const { peer } = await connected({ authExpiresAt: start + 120 });
    give = () => 't1';
    await pass(first);
    // 42 s are left.
    give = () => 't2';
    await pass(34_650);
    await renewed(peer, 't2', 120);
    expect(requests).to.have.length(3);
  });

  it('is of no concern to a client that is closed', async () => {
    const { client } = await connected({ authExpiresAt: start + 120 });
    await client.close();
    expect(harness.time.pending).to.deep.equal([]);
  });
});

describe('how long a token lives', () => {
  const token = clientToken({ sub: 'a', iat: start, exp: start + 120 });
  const at = (seconds: number): number => (start + seconds) * 1_000;

  it('is what is left of it', () => {
    expect(lifeOf(token, undefined, at(20))).to.equal(100_000);
    expect(lifeOf('opaque', start + 60, at(20))).to.equal(40_000);
  });

  it('is its whole life where the clock is before its beginning or behind its end', () => {
    expect(lifeOf(token, start + 120, at(-3_600))).to.equal(120_000);
    expect(lifeOf(token, start + 120, at(3_600))).to.equal(120_000);
  });

  it('is a minute where only the server knows it and the clock is wrong', () => {
    expect(lifeOf('opaque', start + 120, at(3_600))).to.equal(60_000);
  });

  it('has no end where there is none', () => {
    expect(lifeOf('at_live_1.secret', undefined, at(0))).to.equal(undefined);
  });
});
