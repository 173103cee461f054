import type { ConnectionFact, FactBatch, FactOf } from '@roomwire/shared/wire/bus/connectionFacts';

/** When every gateway starts. */
export const start = Date.parse('2026-05-01T12:00:00.000Z');
const second = 1_000;

/** Batches of one gateway, one behind the other, each of a second. */
export class FactGateway {
  private readonly gateway: string;
  private number = 0;
  private upTo = start;

  constructor(gateway: string) {
    this.gateway = gateway;
  }

  batch(facts: readonly ConnectionFact[] = [], more: Partial<FactBatch> = {}): FactBatch {
    this.number += 1;
    const from = this.upTo;
    this.upTo = more.upTo ?? from + second;
    return { gateway: this.gateway, number: this.number, from, upTo: this.upTo, facts, ...more };
  }

  /** One that nobody gets. */
  lose(): void {
    this.batch();
  }
}

const holder = (connection: string, at: number, fields: Partial<FactOf<'authenticated'>> = {}) => ({
  ...{ connection, at, organizationId: 'o1', projectId: 'p1', actorTokenId: 'a1', keyId: 'actor_1' },
  ...{ actorType: 'human', scope: null, mark: `g.${connection}`, address: '10.0.0.1', connectedAt: at - 5 },
  ...fields,
});

export const authenticated = (
  connection: string,
  at = start,
  fields: Partial<FactOf<'authenticated'>> = {},
): FactOf<'authenticated'> => ({ ...holder(connection, at, fields), kind: 'authenticated' });

export const topicIn = (room: string) => `p1/shop/_/${room}/chat`;
export const subscribed = (connection: string, at: number, room = 'hall'): FactOf<'subscribed'> => ({
  ...{ connection, at, kind: 'subscribed', topic: topicIn(room), place: { epoch: 1, offset: 7 } },
  filters: ['eu', ['a', 'b']],
});
export const unsubscribed = (connection: string, at: number, room = 'hall'): FactOf<'unsubscribed'> => ({
  ...{ connection, at, kind: 'unsubscribed', topic: topicIn(room), place: { offset: 9 }, reason: 'client' },
});
export const closed = (connection: string, at: number): FactOf<'closed'> => ({
  ...{ connection, at, kind: 'closed', code: 1000, reason: '', by: 'client', places: {} },
});
export const standing = (connection: string, at: number): FactOf<'standing'> => ({
  ...holder(connection, at),
  kind: 'standing',
  connectedAt: start - 5,
  subscriptions: [{ topic: topicIn('yard'), place: { offset: 12 } }],
});
