import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { createEventOwners } from '../../src/deliver/eventOwners.js';
import { OwnerGone } from '../../src/deliver/ownerGone.js';

const scope = { accessScopeId: 'scope', slug: 'acme', name: 'Acme' };
const event = { kind: 'event', appId: 'app', scope } as WebhookCall;

describe('[HOOK-EVENT-5] the owners of a room event', () => {
  let there: Set<string>;
  let admitsReaders: boolean;

  const assertOwned = (call: WebhookCall) =>
    createEventOwners({
      get: async (_view: unknown, id: string) => (there.has(id) ? {} : undefined),
      admitsReaders: async () => admitsReaders,
    } as unknown as ViewReader)(call);

  beforeEach(() => {
    [there, admitsReaders] = [new Set(['app', 'scope']), true];
  });

  it('are its app and its scope', async () => {
    await assertOwned(event);
    there.delete('scope');
    await assertOwned({ ...event, scope: null });
    expect(await rejectionOf(assertOwned(event))).to.be.instanceOf(OwnerGone);
    there = new Set(['scope']);
    for (const call of [event, { ...event, scope: null }])
      expect(await rejectionOf(assertOwned(call))).to.be.instanceOf(OwnerGone);
  });

  it('are not asked for by other calls', async () => {
    there.clear();
    await assertOwned({ ...event, kind: 'trigger' });
  });

  it('are not known while the read models are lost', async () => {
    [there, admitsReaders] = [new Set(), false];
    expect(await rejectionOf(assertOwned(event))).to.be.instanceOf(EngineUnavailable);
  });
});
