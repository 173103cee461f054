import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const { answer, inTurn } = reactions;

/** Waits that are long enough to be told apart, in a scale that a test does not feel. */
const short = { laterWaits: { firstMs: 200, longestMs: 400 }, waitStepsMs: [200, 200, 400, 400, 400] };

describe('a call that is tried on', () => {
  let world: ConsumerWorld;

  beforeEach(async () => void (world = await ConsumerWorld.open(short)));
  afterEach(() => world.close());

  const received = (count: number): Promise<void> =>
    eventually(() => world.endpoint.received.length >= count, { what: `${count} calls` });
  const reported = (): Promise<void> => eventually(() => world.reports.length > 0, { what: 'a report' });
  const gaps = (): number[] => {
    const times = world.endpoint.received.map(({ at }) => at);
    return times.slice(1).map((at, n) => at - (times[n] as number));
  };

  it('[HOOK-RETRY-5] is made again after the third attempt, under the same id, until it is accepted', async () => {
    world.endpoint.reaction = inTurn(
      answer(500),
      answer(500),
      answer(500),
      answer(500),
      answer(500),
      answer(204),
    );
    const { callId } = await world.put(world.endpoint.url, { retrySeconds: 60 });
    await received(6);
    const ids = new Set(world.endpoint.received.map(({ headers }) => headers['webhook-id']));
    expect([...ids]).to.eql([callId]);
    for (const [n, wait] of [200, 400, 400].entries()) expect(gaps()[n + 2]).to.be.at.least(wait - 2);
    await eventually(() => world.outcomes.length === 6);
    expect(world.outcomes.map(({ attempt, next }) => `${attempt} ${next}`)).to.eql([
      ...['1 retry', '2 retry', '3 retry', '4 retry', '5 retry', '6 done'],
    ]);
    expect(world.reports).to.eql([]);
  });

  it('[HOOK-RETRY-5] is a dead letter when its time is over, which counts from the first attempt', async () => {
    world.endpoint.reaction = answer(500);
    await world.put(world.endpoint.url, { retrySeconds: 1 });
    await reported();
    const [report] = world.reports;
    expect(report).to.include({ outcome: 'failed', status: 'pending', responseStatus: 500 });
    const { received: attempts } = world.endpoint;
    expect(report?.call.attempts).to.equal(attempts.length);
    expect(attempts.length).to.be.above(4);
    const [first, last] = [attempts[0], attempts.at(-1)] as [{ at: number }, { at: number }];
    expect(last.at - first.at).to.be.at.least(900);
  });

  it('[HOOK-RETRY-5] goes on in another process, with as many attempts as it has had', async () => {
    world.endpoint.reaction = inTurn(answer(500), answer(500), answer(500), answer(500), answer(204));
    await world.put(world.endpoint.url, { retrySeconds: 60 });
    await received(3);
    await world.restart(short);
    await received(5);
    await eventually(() => world.outcomes.some(({ attempt, next }) => attempt === 5 && next === 'done'));
  });

  it('[HOOK-RETRY-6] waits as long as a 429 asks for', async () => {
    const wait = (status: number, seconds: string) => answer(status, '', { 'retry-after': seconds });
    world.endpoint.reaction = inTurn(wait(429, '2'), answer(204));
    await world.put(world.endpoint.url, { retrySeconds: 60 });
    await received(2);
    expect(gaps()[0]).to.be.at.least(1_998);
  });

  it('[HOOK-RETRY-6] waits for nothing where it is not tried on: a 429 is final', async () => {
    const asking = await WebhookEndpoint.open(answer(429, '', { 'retry-after': '1' }));
    await world.put(asking.url);
    await reported();
    expect(world.reports[0]).to.include({ status: 'failed', responseStatus: 429 });
    await asking.close();
  });
});
