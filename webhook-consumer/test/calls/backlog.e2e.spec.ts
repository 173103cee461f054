import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const quota = 20;
/** Few calls at a time, so that a flood reaches the backlog. */
const options = {
  ...{ attemptMs: 30_000, maxCallsPerEndpoint: 4, maxCallsPerSlowEndpoint: 4, maxWaitMs: 200 },
  ...{ maxBacklogCalls: quota },
};
const flood = 200;

describe('[HOOK-BACKLOG-1] the backlog of a project', function () {
  this.timeout(60_000);
  let world: ConsumerWorld;
  let hung: WebhookEndpoint;
  let held: ServerResponse[];

  beforeEach(async () => {
    world = await ConsumerWorld.open(options);
    held = [];
    hung = await WebhookEndpoint.open((response) => void held.push(response));
  });
  afterEach(async () => {
    await hung.close();
    await world.close();
  });

  const putFlood = async (fields: object = {}): Promise<void> => {
    await Promise.all(
      Array.from({ length: flood }, (_, n) => world.put(hung.url, { room: `room ${n}`, ...fields })),
    );
  };
  const turnedAway = () => world.reports.filter(({ outcome }) => outcome === 'failed');
  /** What comes of the flood: nothing is lost, and no more than the quota waits. */
  const settleFlood = async (): Promise<void> => {
    hung.reaction = reactions.answer(200);
    for (const response of held) response.end();
    const ids = () =>
      new Set([
        ...hung.received.map(({ headers }) => headers['webhook-id']),
        ...turnedAway().map(({ call }) => call.callId),
      ]);
    await eventually(() => ids().size === flood, { what: 'an end of every call', withinMs: 30_000 });
  };

  it('has a quota, beyond which triggers become dead letters and the other calls go on', async () => {
    await putFlood();
    // In flight, waiting in memory, and the quota.
    const atMost = 2 + 16 + quota;
    const least = flood - atMost - 16;
    await eventually(() => turnedAway().length >= least, {
      what: `${least} calls turned away`,
      withinMs: 30_000,
    });
    for (const report of turnedAway())
      expect(report).to.deep.include({ responseStatus: null, error: 'backlog_full', status: 'pending' });
    const lines = world.logLines.filter((line) => line.startsWith('Limit reached'));
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include('webhookBacklogCalls').and.to.include('p1');
    await settleFlood();
    expect(hung.received.length, 'what had waited').to.be.above(quota / 2);
  });

  it('drops hydrations beyond it', async () => {
    const { metrics } = world.consumers[0] ?? expect.fail();
    await putFlood({ kind: 'hydration', data: new Uint8Array() });
    await eventually(() => metrics.hydrationsDropped > flood / 2, { withinMs: 30_000 });
    expect(world.reports).to.eql([]);
  });

  it('is bounded after a restart too', async () => {
    await putFlood();
    await eventually(() => turnedAway().length > 0, { withinMs: 30_000 });
    await world.restart(options);
    await eventually(() => turnedAway().length >= flood - 3 * quota, { withinMs: 30_000 });
    await settleFlood();
  });

  it('[HOOK-ISOLATION-3] delays no call of another project, put off or not', async () => {
    const other = { projectId: 'p2' };
    await putFlood();
    await eventually(() => turnedAway().length > flood / 2, { withinMs: 30_000 });
    const slow = await WebhookEndpoint.open();
    const waiting: ServerResponse[] = [];
    slow.reaction = (response) => void waiting.push(response);
    const { metrics } = world.consumers[0] ?? expect.fail();
    for (let n = 0; n < 30; n += 1) await world.put(slow.url, { ...other, room: `room ${n}` });
    for (let n = 0; n < 30; n += 1) await world.put(world.endpoint.url, { ...other, room: `room ${n}` });
    await eventually(() => world.endpoint.received.length === 30, { what: 'its calls at once' });
    const before = metrics.deferred;
    await eventually(() => metrics.deferred > before, { what: 'the backlog to go around' });
    slow.reaction = reactions.answer(200);
    for (const response of waiting) response.end();
    await eventually(() => slow.received.length === 30, {
      what: 'its calls that were put off',
      withinMs: 10_000,
    });
    expect(turnedAway().every(({ call }) => call.projectId === 'p1')).to.equal(true);
    expect(hung.received.length, 'the flood still waits').to.be.at.most(4);
    await slow.close();
  });
});
