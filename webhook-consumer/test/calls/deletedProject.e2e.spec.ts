import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { createdWebhookSecret } from '@roomwire/shared/domain/webhookSecret';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const positionOf = (index: number): string => String(index).padStart(16, '0');

describe('the calls of what was deleted', () => {
  let world: ConsumerWorld;

  beforeEach(async () => {
    world = await ConsumerWorld.open();
    const id = 'secret';
    const sealedSecret = world.secretBox.seal(`whsec_${Buffer.alloc(32, 1).toString('base64')}`, id);
    const fields = { webhookSecretId: id, projectId: 'p1', name: 'S', sealedSecret };
    const doc = {
      ...createdWebhookSecret(fields, '2026-01-01T00:00:00.000Z'),
      createdPosition: positionOf(1),
    };
    await world.views.apply({
      changes: [{ put: 'webhookSecrets', id, doc }],
      position: positionOf(1),
    });
    world.endpoint.reaction = reactions.answer(500);
  });
  afterEach(() => world.close());

  const deleteProject = async (): Promise<void> => {
    await world.views.apply({
      changes: [
        { remove: 'projects', id: 'p1' },
        { remove: 'webhookSecrets', id: 'secret' },
      ],
      position: positionOf(2),
    });
    const metadata = {
      occurredAt: '',
      organizationId: 'o1',
      projectId: 'p1',
      principal: 's',
      requestId: 'r',
    };
    const event = { id: 'e', type: 'ProjectDeleted', schemaVersion: 1, data: { projectId: 'p1' }, metadata };
    await world.bus.send(domainEventFeed, { ...event, stream: 's', revision: 0, position: '2' }, 'stored');
  };

  const events: Partial<WebhookCall> = {
    ...{ kind: 'event', roomId: 'room', sequence: 1, origin: { by: 'roomEvent' } },
    following: [{ callId: 'next', sequence: 2, data: encode({ sequence: 2 }) }],
  };

  const deleteApp = () =>
    world.views.apply({ changes: [{ remove: 'apps', id: 'app1' }], position: positionOf(2) });

  for (const [what, fields, remove] of [
    ['[HOOK-DLQ-1] of a trigger, with its project', {}, deleteProject],
    ['[HOOK-EVENT-5] of room events, with their project', events, deleteProject],
    ['[HOOK-EVENT-5] of room events, with their app', events, deleteApp],
  ] as const)
    it(`are not made any more, also where they waited for another attempt, and leave nothing: ${what}`, async () => {
      const { callId } = await world.put(world.endpoint.url, { ...fields, retrySeconds: 60 });
      await eventually(() => world.endpoint.received.length > 0);
      await remove();
      const discarded = () => world.logLines.some((line) => line.includes('what it was for was deleted'));
      world.endpoint.reaction = reactions.answer(204);
      await eventually(() => discarded() || world.outcomes.some(({ next }) => next === 'done'));
      await world.put(world.endpoint.url, { callId: 'marker', projectId: 'p2' });
      const made = () => world.endpoint.received.map(({ headers }) => headers['webhook-id']);
      await eventually(() => made().includes('marker'));
      const own = world.endpoint.received.filter(({ headers }) => headers['webhook-id'] !== 'marker');
      expect(own.every(({ headers }) => 'webhook-signature' in headers)).to.equal(true);
      expect(new Set(made())).to.eql(new Set([callId, 'marker']));
      expect([discarded(), world.reports, world.settled]).to.eql([true, [], []]);
    });
});
