import { expect } from 'chai';
import type { Job, WorkerOptions } from '../src/index.js';
import { deferred, type Deferred } from '../src/primitives.js';
import { rejection, topic, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';
import type { Frame, Peer } from './support/scriptedBroker.js';

const features = ['jobs'];
const ignore = (): void => undefined;

/** Hands out jobs whose data is their id. */
const hand = (peer: Peer, msgId: string, more: Partial<Frame> = {}): void =>
  peer.send({ type: 'message', topic, data: msgId, msgId, requiresAck: true, ...more });

describe('jobs', () => {
  const harness = useHarness();

  /** A worker whose handlers the test ends; `begun` has the jobs in the order in which they begin. */
  const working = async (options: WorkerOptions) => {
    const watched = await harness.connected({}, { features });
    const begun = new Queue<Job>();
    const work = new Map<unknown, Deferred<void>>();
    const joining = watched.client.subscribe(
      topic,
      (job) => {
        const done = deferred<void>();
        work.set(job.data, done);
        begun.push(job);
        return done.promise;
      },
      options,
    );
    const asked = await watched.peer.confirm();
    const subscription = await joining;
    /** What the client sends next, behind which nothing else was sent. */
    const nothingSent = async (): Promise<void> => {
      void watched.client.presence('marker').catch(ignore);
      await watched.peer.next('getPresence');
    };
    return { ...watched, begun, work, asked, subscription, nothingSent };
  };

  it('are asked for with the options, and with as many as the handler works on', async () => {
    const jobs = { prefetch: 7, ackSeconds: 5, maxDeliveries: 3, retrySeconds: 1, keepAlive: false };
    expect((await working({ jobs, loadBalanceGroup: 'mill' })).asked).to.deep.equal({
      ...{ type: 'subscribe', topic, loadBalance: true, loadBalanceGroup: 'mill' },
      jobs: { prefetch: 7, ackSeconds: 5, maxDeliveries: 3 },
    });
    expect((await working({ jobs: {} })).asked.jobs).to.deep.equal({});
    expect((await working({ jobs: {}, concurrency: 8 })).asked.jobs).to.deep.equal({ prefetch: 8 });
    expect((await working({ jobs: {}, concurrency: 5000 })).asked.jobs).to.deep.equal({ prefetch: 1000 });
  });

  it('are acknowledged when their handler is done, and tell how often they were handed out', async () => {
    const { peer, begun, work } = await working({ jobs: {} });
    hand(peer, 'j1');
    hand(peer, 'j2', { delivery: 2 });
    expect([(await begun.next()).delivery, (await begun.next()).delivery]).to.deep.equal([1, 2]);
    work.get('j2')?.resolve();
    expect(await peer.next('ack')).to.deep.equal({ type: 'ack', msgId: 'j2' });
    work.get('j1')?.resolve();
    expect(await peer.next('ack')).to.deep.equal({ type: 'ack', msgId: 'j1' });
  });

  it('are given back when their handler fails, which is reported', async () => {
    const { peer, begun, work, errors } = await working({ jobs: {} });
    hand(peer, 'j1');
    await begun.next();
    work.get('j1')?.reject(new Error('mine'));
    expect(await peer.next('nack')).to.deep.equal({ type: 'nack', msgId: 'j1' });
    expect(await errors.next()).to.include({ error: 'handler_failed', topic });
  });

  for (const [what, retrySeconds] of [
    ['a number', 40],
    ['a function of the delivery', (delivery: number) => 20 * delivery],
  ] as const)
    it(`rest after a failure for ${what} of seconds`, async () => {
      const { peer, begun, work } = await working({ jobs: { retrySeconds } });
      hand(peer, 'j1', { delivery: 2 });
      await begun.next();
      work.get('j1')?.reject(new Error('mine'));
      expect(await peer.next('nack')).to.deep.equal({ type: 'nack', msgId: 'j1', delaySeconds: 40 });
    });

  for (const [what, seconds, delaySeconds] of [
    ['too many', 960, 900],
    ['a fraction', 1.4, 1],
    ['fewer than none', -5, undefined],
    ['no number', Number.NaN, undefined],
  ] as const)
    it(`rest as the server takes it, where ${what} of seconds are wanted`, async () => {
      const { peer, begun, work } = await working({ jobs: { retrySeconds: () => seconds } });
      hand(peer, 'j1');
      hand(peer, 'j2');
      const [, second] = [await begun.next(), await begun.next()];
      second.nack({ delaySeconds: seconds });
      work.get('j1')?.reject(new Error('mine'));
      const rest = delaySeconds === undefined ? {} : { delaySeconds };
      for (const msgId of ['j2', 'j1'])
        expect(await peer.next('nack')).to.deep.equal({ type: 'nack', msgId, ...rest });
    });

  it('are given back where it cannot be told for how long, which is reported', async () => {
    const { peer, begun, work, errors } = await working({
      jobs: {
        retrySeconds: () => {
          throw new Error('mine too');
        },
      },
    });
    hand(peer, 'j1');
    await begun.next();
    work.get('j1')?.reject(new Error('mine'));
    expect(await peer.next('nack')).to.deep.equal({ type: 'nack', msgId: 'j1' });
    for (const message of ['mine', 'mine too'])
      expect(await errors.next()).to.deep.nested.include({
        error: 'handler_failed',
        'cause.message': message,
      });
  });

  it('are settled once, by what is said first', async () => {
    const { peer, begun, work, nothingSent } = await working({ jobs: {} });
    hand(peer, 'j1');
    hand(peer, 'j2');
    const [first, second] = [await begun.next(), await begun.next()];
    first.nack({ delaySeconds: 900 });
    first.ack();
    expect(await peer.next('nack')).to.deep.equal({ type: 'nack', msgId: 'j1', delaySeconds: 900 });
    second.ack();
    second.nack();
    second.progress();
    expect(await peer.next('ack')).to.include({ msgId: 'j2' });
    for (const done of work.values()) done.resolve();
    await nothingSent();
  });

  it('may be settled by hand alone', async () => {
    const { peer, begun, work, nothingSent } = await working({ jobs: {}, ack: 'manual' });
    hand(peer, 'j1');
    const job = await begun.next();
    work.get('j1')?.resolve();
    await nothingSent();
    job.progress();
    expect(await peer.next('progress')).to.deep.equal({ type: 'progress', msgId: 'j1' });
    job.ack();
    expect(await peer.next('ack')).to.include({ msgId: 'j1' });
  });

  it('are kept alive until they are settled', async () => {
    const { peer, begun, work } = await working({ jobs: { keepAlive: true, ackSeconds: 9 } });
    hand(peer, 'j1');
    await begun.next();
    for (let beats = 0; beats < 3; beats++) {
      await harness.time.pass(3_000);
      expect(await peer.next('progress')).to.deep.equal({ type: 'progress', msgId: 'j1' });
    }
    work.get('j1')?.resolve();
    await peer.next('ack');
    expect(harness.time.pending).to.not.include(3_000);
  });

  it('end quietly with the connection that they came by', async () => {
    const { peer, begun, work, states, errors, client } = await working({
      ...{ jobs: { keepAlive: true }, concurrency: 2 },
    });
    for (const msgId of ['j1', 'j2', 'j3']) hand(peer, msgId);
    const [first] = [await begun.next(), await begun.next()];
    expect(first?.signal.aborted).to.equal(false);
    peer.drop();
    await states.next();
    expect(first?.signal.aborted).to.equal(true);
    expect(harness.time.pending).to.not.include(20_000);
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept({ features });
    expect(await next.confirm()).to.deep.include({ jobs: { prefetch: 2 } });
    work.get('j1')?.resolve();
    work.get('j2')?.reject(new Error('mine'));
    first?.ack();
    first?.progress();
    hand(next, 'j4');
    expect((await begun.next()).data, 'nothing that waited begins').to.equal('j4');
    work.get('j4')?.resolve();
    expect(await next.next('ack')).to.include({ msgId: 'j4' });
    expect([errors.length, client.state.name]).to.deep.equal([0, 'connected']);
  });

  it('are told by their signal that the subscription has ended, and count once they are done', async () => {
    const { peer, begun, work, subscription, errors, nothingSent } = await working({
      ...{ jobs: {}, concurrency: 2 },
    });
    for (const msgId of ['j1', 'j2', 'j3']) hand(peer, msgId);
    const [first] = [await begun.next(), await begun.next()];
    const leaving = subscription.unsubscribe();
    await peer.release();
    await leaving;
    expect(first?.signal.aborted).to.equal(true);
    work.get('j1')?.resolve();
    expect(await peer.next('ack')).to.include({ msgId: 'j1' });
    work.get('j2')?.reject(new Error('mine'));
    await nothingSent();
    expect([begun.length, errors.length]).to.deep.equal([0, 0]);
  });

  it('are done with when their handler fails behind the end of the subscription', async () => {
    const { peer, begun, work, subscription, nothingSent } = await working({ jobs: {} });
    hand(peer, 'j1');
    const job = await begun.next();
    const leaving = subscription.unsubscribe();
    await peer.release();
    await leaving;
    work.get('j1')?.reject(new Error('mine'));
    await nothingSent();
    job.ack();
    job.progress();
    await nothingSent();
  });

  it('are not kept alive when the subscription has ended', async () => {
    const { peer, begun, work, subscription } = await working({ jobs: { keepAlive: true }, concurrency: 1 });
    hand(peer, 'j1');
    hand(peer, 'j2');
    await begun.next();
    const leaving = subscription.unsubscribe();
    await peer.release();
    await leaving;
    expect(harness.time.pending).to.deep.equal([30_000]);
    work.get('j1')?.resolve();
    expect(await peer.next('ack')).to.include({ msgId: 'j1' });
  });

  it('are for one handler of a client', async () => {
    const { client } = await working({ jobs: {} });
    const error = await rejection(client.subscribe(topic, ignore, { jobs: {} }));
    expect(error).to.include({ error: 'subscription_conflict', topic });
  });

  it('come as a loop, which settles them', async () => {
    const { client, peer } = await harness.connected({}, { features });
    const opening = client.stream(topic, { jobs: {} });
    await peer.confirm();
    const jobs = await opening;
    hand(peer, 'j1');
    hand(peer, 'j2', { delivery: 4 });
    for await (const job of jobs) {
      if (job.delivery === 1) job.ack();
      else job.nack({ delaySeconds: 1 });
      const { msgId } = await peer.next(job.delivery === 1 ? 'ack' : 'nack');
      expect(msgId).to.equal(job.msgId);
      if (msgId === 'j2') {
        void peer.release();
        break;
      }
    }
  });

  it('need a server that has `jobs`: an older one would lose them', async () => {
    const { client, peer, errors } = await harness.connected();
    const error = await rejection(client.subscribe(topic, ignore, { jobs: {} }));
    expect(error).to.include({ error: 'unsupported_feature', topic });
    void client.presence('marker').catch(ignore);
    expect(await peer.next('getPresence')).to.include({ roomId: 'marker' });
    expect(errors).to.have.length(0);
  });

  it('end when the next server does not have them', async () => {
    const { peer, subscription, errors } = await working({ jobs: {} });
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    expect(await subscription.ended).to.include({ error: 'unsupported_feature' });
    expect(await errors.next()).to.include({ error: 'unsupported_feature' });
  });
});
