import { expect } from 'chai';
import type { Identity } from '../../src/access/client.js';
import { PersistentSession } from '../../src/subscriptions/persistentSessions.js';
import type { Subscription } from '../../src/subscriptions/subscription.js';

const identity: Identity = {
  ...{ actorTokenId: 'actor', projectId: 'project', organizationId: 'organization' },
  ...{ actorType: 'agent', scope: null, accessScope: null, capabilities: undefined, version: 2 },
};

describe('a persistent session', () => {
  const recorded = (count: number): { subscriptions: number; cuts: number } => {
    let cuts = 0;
    const filters = ['x'.repeat(100_000)];
    const subscription = { qos: 1, filters, group: undefined } as unknown as Subscription;
    const entries = Array.from({ length: count }, (_, n) => [`app/room/${n}`, subscription] as const);
    const fields = { instance: '', keeper: 'keeper', number: 1, onCut: () => cuts++ };
    const { subscriptions } = new PersistentSession({ identity, entries }, fields).state(0);
    return { subscriptions: subscriptions.length, cuts };
  };

  it('records the first of very many subscriptions, and says that it does', () => {
    expect(recorded(19)).to.deep.equal({ subscriptions: 19, cuts: 0 });
    expect(recorded(30)).to.deep.equal({ subscriptions: 19, cuts: 1 });
  });
});
