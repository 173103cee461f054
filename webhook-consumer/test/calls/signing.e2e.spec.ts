import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { createdWebhookSecret } from '@roomwire/shared/domain/webhookSecret';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, type ReceivedCall } from '@roomwire/testing/fakes/webhookEndpoint';
import { signature } from '../../src/deliver/post.js';
import { ConsumerWorld } from '../support/consumerWorld.js';

const newSecret = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;

/** As a receiver would check it, after the specification of Standard Webhooks. */
const expectedOf = ({ headers, text }: ReceivedCall, ...secrets: readonly string[]): string =>
  secrets
    .map((secret) => {
      const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');

describe('[HOOK-SIGN-2] the signature of a call', () => {
  let world: ConsumerWorld;
  let position = 0;

  beforeEach(async () => {
    position = 0;
    world = await ConsumerWorld.open();
  });
  afterEach(() => world.close());

  const keep = async (secret: string, box = world.secretBox, projectId = 'p1'): Promise<void> => {
    position += 1;
    const webhookSecretId = `secret-${position}`;
    const sealedSecret = box.seal(secret, webhookSecretId);
    const fields = { webhookSecretId, projectId, name: 'S', sealedSecret };
    const at = String(position).padStart(16, '0');
    const doc = { ...createdWebhookSecret(fields, '2026-01-01T00:00:00.000Z'), createdPosition: at };
    await world.views.apply({ changes: [{ put: 'webhookSecrets', id: webhookSecretId, doc }], position: at });
  };
  const tell = (projectId: string): Promise<number> => {
    const metadata = { occurredAt: '', organizationId: 'o1', projectId, principal: 'system', requestId: 'r' };
    const event = { id: 'e', type: 'WebhookSecretCreated', schemaVersion: 1, data: {}, metadata };
    return world.bus.send(domainEventFeed, { ...event, stream: 's', revision: 0, position: '1' }, 'stored');
  };
  const called = async (): Promise<ReceivedCall> => {
    const before = world.endpoint.received.length;
    await world.put(world.endpoint.url);
    await eventually(() => world.endpoint.received.length > before);
    return world.endpoint.received[before] ?? expect.fail();
  };

  it('equals that of the published example', () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const payload = '{"test": 2432232314}';
    expect(signature([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', Buffer.from(payload))).to.equal(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is missing without a secret, and present from the event on', async () => {
    expect((await called()).headers).not.to.have.property('webhook-signature');
    await keep(newSecret(1), world.secretBox, 'p2');
    await keep(newSecret(2));
    await tell('p2');
    expect((await called()).headers).not.to.have.property('webhook-signature');
    await tell('p1');
    const call = await called();
    expect(call.headers['webhook-signature']).to.equal(expectedOf(call, newSecret(2)));
  });

  it('is present twice while two secrets are valid', async () => {
    await keep(newSecret(1));
    await keep(newSecret(2));
    const call = await called();
    expect(call.headers['webhook-signature']).to.equal(expectedOf(call, newSecret(1), newSecret(2)));
  });

  it('is computed again for each attempt, over the same id', async () => {
    await keep(newSecret(1));
    world.endpoint.reaction = reactions.inTurn(reactions.answer(500), reactions.answer(200));
    await world.put(world.endpoint.url);
    await eventually(() => world.endpoint.received.length === 2);
    for (const call of world.endpoint.received)
      expect(call.headers['webhook-signature']).to.equal(expectedOf(call, newSecret(1)));
    expect(new Set(world.endpoint.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
  });

  it('is never omitted: a call that cannot be signed is not made', async () => {
    await keep(newSecret(1), createSecretBox({ current: new Uint8Array(32).fill(9) }));
    await world.put(world.endpoint.url);
    await eventually(() => world.reports.length === 1);
    expect(world.reports[0]).to.include({
      status: 'pending',
      error: 'The call could not be signed: no master key opens the webhook secret',
    });
    expect(world.endpoint.received).to.eql([]);
  });
});
