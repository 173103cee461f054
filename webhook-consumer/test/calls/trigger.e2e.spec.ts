import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint, type Reaction } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const { answer, inTurn, never, reset } = reactions;

describe('a trigger call', () => {
  let world: ConsumerWorld;

  beforeEach(async () => void (world = await ConsumerWorld.open()));
  afterEach(() => world.close());

  const received = (count: number): Promise<void> =>
    eventually(() => world.endpoint.received.length >= count, { what: `${count} calls` });
  const reported = (count = 1): Promise<void> =>
    eventually(() => world.reports.length >= count, { what: `${count} reports` });
  /** Nothing more came of it than these calls: whatever did would have come before what this one does. */
  const settled = async (attempts: number): Promise<void> => {
    const marker = await WebhookEndpoint.open(answer(404));
    await world.put(marker.url, { callId: 'marker' });
    await eventually(() => world.reports.some(({ call }) => call.callId === 'marker'));
    await marker.close();
    expect(world.endpoint.received).to.have.lengthOf(attempts);
  };

  it('[HOOK-BODY-1] posts the published message, with the configured headers', async () => {
    const scope = { accessScopeId: 's1', slug: 'acme', name: 'Acme' };
    const { callId } = await world.put(world.endpoint.url, { scope });
    await received(1);
    const [call] = world.endpoint.received;
    expect(call?.method).to.equal('POST');
    expect(call?.json).to.eql({
      roomName: 'lobby',
      topicName: 'news',
      actorId: 'actor-1',
      data: { text: 'payload-of-the-customer', n: 1 },
      scope,
    });
    expect(call?.headers).to.include({
      'x-key': 'secret-of-the-customer',
      'content-type': 'application/json',
      'webhook-id': callId,
    });
    expect(Number(call?.headers['webhook-timestamp'])).to.be.closeTo(Date.now() / 1_000, 5);
    expect(call?.headers).not.to.have.property('webhook-signature');
  });

  it('[HOOK-SIGN-1] identifies itself, whatever the configured headers', async () => {
    const headers = [
      ['Webhook-Id', 'forged'],
      ['CONTENT-TYPE', 'text/plain'],
      ['__proto__', 'x'],
    ] as const;
    const { callId } = await world.put(world.endpoint.url, { headers });
    await received(1);
    const { headers: got } = world.endpoint.received[0] ?? {};
    expect(got).to.include({ 'webhook-id': callId, 'content-type': 'application/json' });
  });

  it('[HOOK-RETRY-1] ends with any 2xx, whatever the body', async () => {
    world.endpoint.reaction = inTurn(
      answer(200),
      answer(204),
      answer(299, 'not JSON'),
      reactions.endless(201),
    );
    for (let call = 0; call < 4; call += 1) await world.put(world.endpoint.url);
    await received(4);
    await settled(4);
    expect(world.reports.map(({ call }) => call.callId)).to.eql(['marker']);
  });

  it('[HOOK-RETRY-2] is retried after a 5xx and after no answer, up to three attempts', async () => {
    const failures: readonly [Reaction, object][] = [
      [answer(500), { responseStatus: 500, error: 'The endpoint answered 500' }],
      [answer(599), { responseStatus: 599, error: 'The endpoint answered 599' }],
      [reset, { responseStatus: null, error: 'The connection was reset' }],
      [never, { responseStatus: null, error: 'No answer within 0.4 s' }],
    ];
    for (const [index, [reaction, expected]] of failures.entries()) {
      world.endpoint.reaction = reaction;
      const call = await world.put(world.endpoint.url);
      await reported(index + 1);
      expect(world.reports[index]).to.eql({
        ...{ outcome: 'failed', status: 'pending', ...expected },
        call: { ...call, attempts: 3 },
      });
    }
    await settled(12);
    const ids = world.endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect([...new Set(ids)], 'the same id on each attempt').to.have.lengthOf(4);
  });

  it('[HOOK-RETRY-3] waits between the attempts', async () => {
    world.endpoint.reaction = answer(503);
    await world.put(world.endpoint.url);
    await reported();
    const [first = 0, second = 0, third = 0] = world.endpoint.received.map(({ at }) => at);
    expect(second - first).to.be.within(60, 600);
    expect(third - second).to.be.within(120, 660);
  });

  it('[HOOK-RETRY-2] ends with the first successful attempt', async () => {
    world.endpoint.reaction = inTurn(answer(500), reset, answer(200));
    await world.put(world.endpoint.url);
    await received(3);
    await settled(3);
    expect(world.reports).to.have.lengthOf(1);
  });

  it('[HOOK-RETRY-4] is not retried after a 4xx or a redirect', async () => {
    const target = await WebhookEndpoint.open();
    const refusals = [400, 401, 404, 408, 410, 429, 301, 302, 307];
    for (const [index, status] of refusals.entries()) {
      world.endpoint.reaction = answer(status, '', { location: target.url });
      await world.put(world.endpoint.url);
      await reported(index + 1);
      expect(world.reports[index]).to.deep.include({
        outcome: 'failed',
        status: 'failed',
        responseStatus: status,
        error: `The endpoint answered ${status}`,
      });
      expect(world.reports[index]?.call.attempts).to.equal(1);
    }
    await settled(refusals.length);
    expect(target.received).to.eql([]);
    await target.close();
  });

  it('[HOOK-SSRF-1] is not made to private addresses where they are forbidden', async () => {
    await world.close();
    world = await ConsumerWorld.open({ allowPrivate: false });
    await world.put(world.endpoint.url);
    await reported();
    expect(world.reports[0]).to.deep.include({
      status: 'failed',
      responseStatus: null,
      error: 'The address of the endpoint is private, reserved or denied',
    });
    expect(world.endpoint.received).to.eql([]);
  });

  it('[HOOK-ORDER-1] is made in the order of its room', async () => {
    world.endpoint.reaction = (response, _call, count) => setTimeout(() => response.end(), count % 3);
    const numbers = Array.from({ length: 30 }, (_, n) => n + 1);
    for (let put = 0; put < numbers.length; put += 1) await world.put(world.endpoint.url);
    await received(30);
    expect(world.endpoint.received.map(({ json }) => (json as { data: { n: number } }).data.n)).to.eql(
      numbers,
    );
  });

  it('[HOOK-ISOLATION-1] is not delayed by an endpoint that hangs, in the same room or another', async () => {
    await world.close();
    world = await ConsumerWorld.open({ attemptMs: 20_000, maxCallsPerEndpoint: 4 });
    const hung = await WebhookEndpoint.open(never);
    for (let call = 0; call < 200; call += 1) await world.put(hung.url);
    const put = performance.now();
    await world.put(world.endpoint.url);
    await received(1);
    expect((world.endpoint.received[0]?.at ?? 0) - put).to.be.below(1_000);
    expect(hung.received.length).to.be.at.most(4);
    await hung.close();
  });

  it('[HOOK-LOSS-1] is not lost when the endpoint is too slow', async () => {
    await world.close();
    const atMostTwo = { maxCallsPerEndpoint: 2, maxCallsPerSlowEndpoint: 2 };
    world = await ConsumerWorld.open({ ...atMostTwo, attemptMs: 20_000 });
    const { metrics } = world.consumers[0] ?? expect.fail();
    const held: ServerResponse[] = [];
    world.endpoint.reaction = (response) => void held.push(response);
    for (let call = 0; call < 60; call += 1) await world.put(world.endpoint.url, { room: `room ${call}` });
    await eventually(() => metrics.deferred > 0, { what: 'a call in the backlog' });
    world.endpoint.reaction = answer(200);
    for (const response of held) response.end();
    await eventually(() => world.endpoint.received.length === 60, { withinMs: 15_000 });
    expect(metrics.deferred).to.be.above(0);
    expect(new Set(world.endpoint.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(60);
  });

  it('[HOOK-LOSS-1] is made again by the next process when its own ends before the answer', async () => {
    world.endpoint.reaction = never;
    const { callId } = await world.put(world.endpoint.url);
    await received(1);
    world.endpoint.reaction = answer(200);
    await world.restart();
    await received(2);
    expect(world.endpoint.received.map(({ headers }) => headers['webhook-id'])).to.eql([callId, callId]);
  });

  it('is counted by its outcome', async () => {
    world.endpoint.reaction = inTurn(answer(200), answer(500), answer(200), answer(404));
    await world.put(world.endpoint.url);
    await received(1);
    await world.put(world.endpoint.url);
    await received(3);
    await world.put(world.endpoint.url);
    await reported();
    const { metrics } = world.consumers[0] ?? expect.fail();
    expect(metrics.attempts).to.eql({
      'trigger.2xx.steady': 2,
      'trigger.5xx.steady': 1,
      'trigger.4xx.steady': 1,
    });
    expect(metrics).to.include({ retries: 1, deadLetters: 1, deferred: 0 });
    await eventually(() => metrics.inFlight === 0);
  });

  it('[HOOK-LOG-1] does not fill the log, however many calls fail', async () => {
    world.endpoint.reaction = answer(404);
    for (let call = 0; call < 5; call += 1) await world.put(world.endpoint.url);
    await eventually(() => world.reports.length === 5);
    expect(world.logLines.filter((line) => line.startsWith('A webhook call failed'))).to.have.lengthOf(1);
  });

  it('[HOOK-LOG-1] leaves no secret in the log', async () => {
    world.endpoint.reaction = answer(404);
    await world.put(`${world.endpoint.url}?token=in-the-url`);
    await reported();
    await eventually(() => world.logLines.length > 0);
    expect(world.logLines.join()).to.include('A webhook call failed');
    for (const secret of ['secret-of-the-customer', 'payload-of-the-customer', 'in-the-url'])
      expect(world.logLines.join()).not.to.include(secret);
  });
});
