import { expect } from 'chai';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { factBatchRecord, type ConnectionFact } from '@roomwire/shared/wire/bus/connectionFacts';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { ConnectionLife, type LivingSubscription } from '../../src/connection-facts/connectionLife.js';
import { bytesOfFact } from '../../src/connection-facts/factBytes.js';

const mebibyte = 1024 * 1024;
const place = { epoch: 1, offset: 7 };

const subscription = (
  number: number,
  filters: readonly FilterEntry[] | undefined = undefined,
): LivingSubscription => {
  const room = `project/${'app'.padEnd(60, '-')}/_/${'room'.padEnd(60, '-')}${number}`;
  return {
    ...{ access: { room, topic: `${room}/chat` }, filters, own: false },
    ...{ group: undefined, jobs: undefined, replays: false, isJoined: true },
  };
};

/** As in a record of the bus, of a gateway with one such connection. */
const recordBytes = (facts: readonly ConnectionFact[]): number =>
  factBatchRecord.codec.encode({ gateway: 'g', number: 1, from: 0, upTo: 0, facts }).length;

describe('the facts of a connection', () => {
  let facts: ConnectionFact[];
  let entries: (readonly [string, LivingSubscription])[];
  let life: ConnectionLife;

  const subscribe = (...subscriptions: readonly LivingSubscription[]): void => {
    for (const one of subscriptions) entries.push([one.access.topic, one]);
    for (const one of subscriptions) life.subscribed(one);
  };
  const many = (count: number) => Array.from({ length: count }, (_, number) => subscription(number));

  beforeEach(() => {
    [facts, entries] = [[], []];
    const identity = {
      organizationId: 'o',
      projectId: 'p',
      actorTokenId: 'a',
      actorType: 'user',
      scope: null,
    };
    life = new ConnectionLife(
      {
        ...{ keyId: 'k', address: '::1', connection: 'g.1', sdk: undefined, connectedAt: 0 },
        ...{ identity: identity as never, subscriptions: { entries } },
      },
      {
        writer: {
          add: (fact) => void facts.push(fact),
          addHandOut: (fact) => void facts.push(fact),
          enter: () => undefined,
          leave: () => undefined,
        },
        ...{ clock: new ManualClock(5), random: { uuid: () => 'c1' } },
        ...{ next: () => place.offset, epochOf: () => place.epoch },
      },
    );
    life.begin();
  });

  it('leave out filters that are very long, and say so', () => {
    subscribe(subscription(1, ['eu', ['us', 'urgent']]), subscription(2, ['x'.repeat(900_000)]));
    expect(facts[1]).to.deep.include({ filters: ['eu', ['us', 'urgent']], filtersLeftOut: undefined });
    expect(facts[2]).to.deep.include({ filters: undefined, filtersLeftOut: true });
    expect(recordBytes(facts)).to.be.below(40_000);
  });

  it('fit into records of the bus, however many subscriptions there are, and name all of them', () => {
    subscribe(...many(10_000));
    const [standing, ...further] = life.standing();
    expect(standing?.kind).to.equal('standing');
    const told = [
      ...(standing?.kind === 'standing' ? standing.subscriptions : []),
      ...further.flatMap((fact) => (fact.kind === 'subscribed' ? [fact] : [])),
    ].map(({ topic }) => topic);
    expect(told).to.eql(entries.map(([topic]) => topic));
    expect(further.every((fact) => 'place' in fact && fact.place === undefined)).to.equal(true);
    life.end({ code: 1_000, reason: '', by: 'client' });
    for (const fact of [...life.standing(), facts.at(-1) as ConnectionFact])
      expect(recordBytes([fact])).to.be.below(mebibyte);
  });

  it('take no more in a record than is counted for them', () => {
    subscribe(...many(20), subscription(21, ['größer', ['ä', 'ö']]));
    life.end({ code: 1_000, reason: '', by: 'client' });
    for (const fact of [...facts, ...life.standing()])
      expect(recordBytes([fact]), fact.kind).to.be.at.most(bytesOfFact(fact) + 100);
  });
});
