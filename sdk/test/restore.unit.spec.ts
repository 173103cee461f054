import { expect } from 'chai';
import type { RoomwireError, Subscription } from '../src/index.js';
import { topic, useHarness, type Watched } from './support/harness.js';
import type { Frame, Peer } from './support/scriptedBroker.js';

const ignore = (): void => undefined;
/** Chance is 0.5 in these tests: a quarter less than 1, 2 and 4 seconds. */
const delays = [750, 1_500, 3_000];

describe('what is restored after a reconnect', () => {
  const harness = useHarness();
  const features = ['rooms'];

  const reconnected = async ({ peer }: { readonly peer: Peer }): Promise<Peer> => {
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept({ features });
    return next;
  };

  const subscribed = async (): Promise<Watched & { peer: Peer; subscription: Subscription }> => {
    const watched = await harness.connected({}, { features });
    const joining = watched.client.subscribe(topic, ignore);
    await watched.peer.confirm();
    return { ...watched, subscription: await joining };
  };

  /** Undefined while it goes on. */
  const endOf = ({ ended }: Subscription): Promise<RoomwireError | undefined | 'goes on'> =>
    Promise.race([ended, Promise.resolve('goes on' as const)]);

  for (const error of ['broker_unavailable', 'memory_limit_exceeded'])
    it(`is asked for again after ${error}, ever later, and reported`, async () => {
      const watched = await subscribed();
      const next = await reconnected(watched);
      for (const delayMs of delays) {
        await next.next('subscribe');
        next.send({ type: 'error', error, topic });
        expect(await watched.errors.next()).to.include({ error, topic });
        await harness.time.pass(delayMs);
      }
      await next.confirm();
      next.send({ type: 'error', error: 'marker' });
      await watched.errors.next();
      expect(await endOf(watched.subscription)).to.equal('goes on');
      expect(harness.time.pending).to.deep.equal([30_000]);
    });

  it('is not asked for again once it is left, or the connection is lost', async () => {
    const watched = await subscribed();
    const next = await reconnected(watched);
    await next.next('subscribe');
    next.send({ type: 'error', error: 'broker_unavailable', topic });
    await watched.errors.next();
    const third = await reconnected({ peer: next });
    await third.next('subscribe');
    third.send({ type: 'error', error: 'broker_unavailable', topic });
    await watched.errors.next();
    await watched.subscription.unsubscribe();
    expect(harness.time.pending).to.deep.equal([30_000]);
  });

  it('ends after a time-out what the server may have, and is asked for again', async () => {
    const watched = await subscribed();
    const next = await reconnected(watched);
    await next.next('subscribe');
    // The heartbeat, which is as long, is older.
    await harness.time.pass(30_000);
    await next.next('heartbeat');
    await harness.time.pass(30_000);
    expect(await watched.errors.next()).to.include({ error: 'request_timeout', topic });
    await next.release();
    await next.confirm();
    expect(await endOf(watched.subscription)).to.equal('goes on');
  });

  it('tells a handler that has not started, and keeps the others', async () => {
    const watched = await subscribed();
    const next = await reconnected(watched);
    await next.next('subscribe');
    const joining = watched.client.subscribe(topic, ignore).catch((error: RoomwireError) => error.error);
    next.send({ type: 'error', error: 'broker_unavailable', topic });
    expect(await joining).to.equal('broker_unavailable');
    await harness.time.pass(750);
    await next.confirm();
    expect(await endOf(watched.subscription)).to.equal('goes on');
  });

  it('[WS-CONN-10] is asked for as fast as it is answered: of 6000 topics at 100 a second none ends', async () => {
    const names = Array.from({ length: 6_000 }, (_, index) => `chat/lobby/${index}`);
    const { client, peer, errors } = await harness.connected({}, { features });
    const joining = names.map((name) => client.subscribe(name, ignore));
    for (let count = 0; count < names.length; count += 1) await peer.confirm();
    const ends: unknown[] = [];
    for (const { ended } of await Promise.all(joining)) void ended.then((error) => ends.push(error));
    const next = await reconnected({ peer });
    const answer = (frames: readonly Frame[]): void => {
      for (const frame of frames) next.send({ type: 'subscribed', topic: frame['topic'] });
    };
    let asked: Frame[] = [];
    // Five seconds of the server, in which no time-out that has begun by then passes.
    for (let count = 0; count < names.length; count += asked.length) {
      answer(asked);
      asked = [];
      while (asked.length < 500) asked.push(await next.next('subscribe'));
      const marker = client.presence('marker');
      await next.next('getPresence');
      next.send({ type: 'presenceList', roomId: 'marker', data: [] });
      await marker;
      expect(harness.time.pending, 'the time-outs of these alone, and the heartbeat').to.have.length(501);
    }
    answer(asked);
    next.send({ type: 'error', error: 'marker' });
    await errors.next();
    expect(ends).to.deep.equal([]);
    expect(harness.time.pending).to.deep.equal([30_000]);
  }).timeout(20_000);

  it('is unsubscribed on the next connection when it was left before its turn', async () => {
    const names = Array.from({ length: 501 }, (_, index) => `chat/lobby/${index}`);
    const { client, peer } = await harness.connected({ resume: true }, { features });
    const joining = names.map((name) => client.subscribe(name, ignore));
    for (let count = 0; count < names.length; count += 1) await peer.confirm();
    const last = (await Promise.all(joining)).pop() as Subscription;
    const next = await reconnected({ peer });
    for (let count = 0; count < 500; count += 1) await next.next('subscribe');
    await last.unsubscribe();
    next.drop();
    await harness.time.pass(1_000);
    const third = await harness.broker.nextPeer();
    const entry = { topic: 'internal', load_balance: false, load_balance_group: null, filters: [] };
    await third.accept({ features, restoredSubscriptions: [{ pattern: last.topic, ...entry }] });
    expect(await third.release()).to.include({ topic: last.topic });
  });

  for (const [what, begin, asked, answer, refusal] of [
    [
      'a presence',
      ({ client }) => client.enter('lobby', { name: 'Ann' }),
      ['presence', 'getPresence'],
      { type: 'presenceList', data: [] },
      { topic: 'lobby' },
    ],
    [
      'a count',
      ({ client }) => client.count('lobby', ignore),
      ['presence'],
      { type: 'presenceCount', roomId: 'lobby', present: 1 },
      { topic: 'lobby' },
    ],
    [
      'a lobby',
      ({ client }) => client.lobby('halls', ignore),
      ['lobbySubscribe'],
      { type: 'lobbySubscribed', lobbyId: 'halls', presence: {} },
      { lobbyId: 'halls' },
    ],
  ] as [string, (watched: Watched) => Promise<unknown>, string[], Frame, Partial<Frame>][])
    it(`asks for ${what} again after a refusal that may pass`, async () => {
      const watched = await harness.connected({}, { features });
      const beginning = begin(watched);
      for (const type of asked) await watched.peer.next(type);
      watched.peer.send(answer);
      await beginning;
      let next = await reconnected(watched);
      for (const delayMs of delays) {
        for (const type of asked) await next.next(type);
        next.send({ type: 'error', error: 'broker_unavailable', ...refusal });
        if (what === 'a presence') next.send(answer);
        expect(await watched.errors.next()).to.include({ error: 'broker_unavailable', ...refusal });
        await harness.time.pass(delayMs);
      }
      for (const type of asked) await next.next(type);
      next.send(answer);
      next = await reconnected({ peer: next });
      for (const type of asked) await next.next(type);
      expect(watched.errors, 'not what a lost connection ends').to.have.length(0);
    });
});
