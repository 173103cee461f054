import type { RecordedConnection, RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { ConnectionFact, FactPlace } from '@roomwire/shared/wire/bus/connectionFacts';
import type { TracedMessage } from '../../src/trace/tracedMessage.js';
import type { Wishes } from '../../src/trace/wishes.js';

export const epoch = 1_700_000_000_000;
export const room = 'p/app/_/room';
export const topic = `${room}/chat`;

export const placeAt = (offset: number): FactPlace => ({ epoch, offset });

/** Milliseconds after the epoch. */
const timeOf = (at: number): number => epoch + at;

/** `at` and `offset` are those of the message; it is a second behind the one before by default. */
export const messageAt = (offset: number, fields: Partial<TracedMessage> = {}): TracedMessage => ({
  ...{ room, topic, at: timeOf(offset * 1_000), isHypothetical: false },
  ...{ id: `m${offset}`, messageId: `m${offset}`, publisher: '', publishedBy: 'gateway', filters: [] },
  ...{ place: { epoch, offset }, nextEpoch: undefined },
  ...fields,
});

interface Moment {
  /** Milliseconds after the epoch. */
  readonly at: number;
  /** Of the next message; undefined where the gateway did not know it. */
  readonly offset?: number | undefined;
}

/** What is on record of one connection. */
export class RecordedLife {
  readonly facts: RecordedFact[] = [];
  connection: RecordedConnection;

  constructor(fields: Partial<RecordedConnection> = {}) {
    this.connection = {
      ...{ connectionId: 'c1', organizationId: 'o', projectId: 'p', actorTokenId: 'bob', keyId: 'at_live_b' },
      ...{ actorType: 'user', scope: null, gateway: 'g1', mark: 'g1.b', address: '203.0.113.7', sdk: null },
      ...{ connectedAt: timeOf(0), authenticatedAt: timeOf(0), closed: null, subscriptions: 0 },
      ...fields,
    };
  }

  authenticated(at: number, fields: object = {}): this {
    return this.add({ kind: 'authenticated', at: timeOf(at), ...this.holder, ...fields });
  }

  subscribed(moment: Moment, wishes: Wishes = {}): this {
    return this.add({ kind: 'subscribed', ...this.onTopic(moment), ...wishes });
  }

  changed(moment: Moment, wishes: Wishes = {}): this {
    return this.add({ kind: 'changed', ...this.onTopic(moment), ...wishes });
  }

  replayed(moment: Moment, first?: number): this {
    return this.add({
      ...{ kind: 'replayed', ...this.onTopic(moment) },
      ...(first !== undefined && { first: placeAt(first) }),
    });
  }

  unsubscribed(moment: Moment, reason = 'client', rule?: string): this {
    return this.add({ kind: 'unsubscribed', ...this.onTopic(moment), reason, ...(rule && { rule }) });
  }

  slow({ at, offset }: Moment, since: number, bytes: number): this {
    return this.add({ kind: 'slow', at: timeOf(at), since: timeOf(since), bytes, places: placesOf(offset) });
  }

  closed({ at, offset }: Moment, code = 1_000, reason = ''): this {
    this.end({ at: timeOf(at), seenOpenAt: timeOf(at), code, reason, by: 'client' });
    return this.add({ kind: 'closed', at: timeOf(at), code, reason, by: 'client', places: placesOf(offset) });
  }

  /** Nobody saw it end. */
  lost(seenOpenAt: number, at: number): this {
    this.end({
      at: timeOf(at),
      seenOpenAt: timeOf(seenOpenAt),
      code: null,
      reason: 'gateway_lost',
      by: null,
    });
    return this;
  }

  standing(moment: Moment, wishes: readonly Wishes[]): this {
    const subscriptions = wishes.map((each) => ({ ...this.onTopic(moment), ...each }));
    return this.add({ kind: 'standing', at: timeOf(moment.at), ...this.holder, subscriptions });
  }

  private get holder() {
    const { organizationId, projectId, actorTokenId, keyId, actorType, scope, mark, address, connectedAt } =
      this.connection;
    return { organizationId, projectId, actorTokenId, keyId, actorType, scope, mark, address, connectedAt };
  }

  private onTopic({ at, offset }: Moment) {
    return { at: timeOf(at), topic, ...(offset !== undefined && { place: placeAt(offset) }) };
  }

  private end(closed: RecordedConnection['closed']): void {
    this.connection = { ...this.connection, closed };
  }

  private add(fact: object): this {
    const place = String(this.facts.length).padStart(8, '0');
    this.facts.push({ place, fact: { connection: this.connection.connectionId, ...fact } as ConnectionFact });
    return this;
  }
}

const placesOf = (offset: number | undefined) => (offset === undefined ? {} : { [room]: placeAt(offset) });

export const handedOut = (connection: string, group: string, delivery = 1): RecordedFact => ({
  place: `h${connection}${delivery}`,
  fact: { kind: 'handedOut', connection, at: timeOf(0), topic, group, messageId: 'm5', delivery },
});
