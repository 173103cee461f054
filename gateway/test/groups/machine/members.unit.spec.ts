import { expect } from 'chai';
import type { GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { GroupMembers, isEligible, MemberOrder, type Member } from '../../../src/groups/machine/members.js';
import { messageOf } from '../../support/groupNode.js';

const member = (number: number, fields: Partial<GroupMember> = {}): GroupMember => ({
  ...{ number, actorTokenId: `actor-${number}`, filters: undefined, acks: true, isPersistent: false },
  own: undefined,
  ...fields,
});

describe('the members of a worker group', () => {
  let members: GroupMembers;

  beforeEach(() => {
    members = new GroupMembers();
  });

  const get = (gatewayId: string, number: number): Member => members.get(gatewayId, number) as Member;
  const next = (): number | undefined => members.choose(messageOf('x'))?.number;

  it('are known by their gateway and number, in the order in which they came', () => {
    expect(members.size).to.equal(0);
    members.join('b', member(1));
    members.join('a', member(1, { isPersistent: true, filters: ['eu'] }));
    members.join('b', member(2, { acks: false, own: 'b.7' }));
    expect(members.size).to.equal(3);
    expect(members.known).to.eql([
      { ...member(1), gatewayId: 'b', turn: 0 },
      { ...member(1, { isPersistent: true, filters: ['eu'] }), gatewayId: 'a', turn: 0 },
      { ...member(2, { acks: false, own: 'b.7' }), gatewayId: 'b', turn: 0 },
    ]);
    expect([...members].map(({ number }) => number)).to.eql([1, 1, 2]);
    expect(members.at('b').map(({ number }) => number)).to.eql([1, 2]);
    expect(get('a', 1).actorTokenId).to.equal('actor-1');
    expect([members.get('a', 2), members.get('c', 1)]).to.eql([undefined, undefined]);
  });

  it('are on gateways until the last of each has left', () => {
    members.join('b', member(1));
    members.join('a', member(1));
    members.join('b', member(2));
    expect([...members.gatewayIds]).to.eql(['b', 'a']);
    members.remove(get('b', 1));
    expect([members.isAt('b'), members.areAllAt('a'), members.areAllAt('b')]).to.eql([true, false, false]);
    members.remove(get('b', 2));
    expect([members.isAt('b'), members.areAllAt('a'), members.areAllAt('b')]).to.eql([false, true, false]);
    members.remove(get('a', 1));
    expect([members.size, [...members.gatewayIds], members.areAllAt('a'), next()]).to.eql([
      ...[0, [], false, undefined],
    ]);
  });

  it('that join again ask for other messages, and nothing else changes', () => {
    members.join('a', member(1));
    members.assign(get('a', 1), 'm1');
    members.join('a', member(1, { filters: ['eu'], own: 'a.1', acks: false, actorTokenId: 'eve' }));
    expect(members.known).to.eql([
      { ...member(1, { filters: ['eu'], own: 'a.1' }), gatewayId: 'a', turn: 1 },
    ]);
    expect([...get('a', 1).open]).to.eql(['m1']);
  });

  it('[WS-GROUP-2] take turns where none has a message, those that came later last', () => {
    for (const number of [1, 2]) members.join('a', member(number));
    for (const [turn, number] of [1, 2, 1, 2].entries()) {
      expect(next()).to.equal(number);
      members.assign(get('a', number), 'm');
      expect(get('a', number).turn).to.equal(turn + 1);
      members.detach(get('a', number), 'm');
    }
    members.join('a', member(3));
    expect([get('a', 3).turn, next()]).to.eql([4, 1]);
  });

  it('[WS-GROUP-2] with an open message come after those without, until it is acknowledged', () => {
    for (const number of [1, 2]) members.join('a', member(number));
    members.attach(get('a', 1), 'm1');
    expect([next(), get('a', 1).turn]).to.eql([2, 0]);
    members.detach(get('a', 1), 'other');
    expect(next()).to.equal(2);
    members.detach(get('a', 1), 'm1');
    expect(next()).to.equal(1);
  });

  it('count what the leader has proposed to them, until that is read', () => {
    for (const number of [1, 2, 3]) members.join('a', member(number));
    members.propose(get('a', 1));
    members.propose(get('a', 2));
    expect(next()).to.equal(3);
    members.withdrawProposal(get('a', 2));
    expect([get('a', 2).proposed, next()]).to.eql([0, 3]);
    members.withdrawProposal(get('a', 1));
    members.assign(get('a', 3), 'm');
    members.detach(get('a', 3), 'm');
    // By the turns of what was proposed, and of what was assigned.
    expect([get('a', 1).proposedTurn, get('a', 2).proposedTurn, get('a', 3).turn]).to.eql([1, 2, 1]);
    members.propose(get('a', 3));
    expect(get('a', 3).proposedTurn).to.equal(3);
  });

  it('come first again when what was proposed to them is withdrawn, and others have a message', () => {
    for (const number of [1, 2]) members.join('a', member(number));
    members.propose(get('a', 1));
    members.assign(get('a', 2), 'm');
    members.assign(get('a', 2), 'n');
    expect(next()).to.equal(1);
    members.propose(get('a', 1));
    members.propose(get('a', 1));
    expect(next()).to.equal(2);
    for (let time = 0; time < 2; time++) members.withdrawProposal(get('a', 1));
    expect(next()).to.equal(1);
  });

  it('keep their turns when they come from a snapshot', () => {
    members.put({ ...member(1), gatewayId: 'a', turn: 7 });
    members.put({ ...member(2), gatewayId: 'a', turn: 3 });
    expect(next()).to.equal(2);
    members.join('a', member(3));
    members.assign(get('a', 3), 'm');
    expect([get('a', 3).turn]).to.eql([8]);
    members.propose(get('a', 2));
    expect(get('a', 2).proposedTurn).to.equal(9);
  });

  it('[WS-GROUP-3] are eligible for what they have not published, and what their filters match', () => {
    members.join('a', member(1, { filters: ['eu', ['us', 'urgent']] }));
    members.join('a', member(2, { filters: ['asia'] }));
    const of = (filters: readonly string[], publisher = 'nobody') => messageOf('m', { filters, publisher });
    expect(members.choose(of(['eu']))?.number).to.equal(1);
    expect(members.choose(of(['asia', 'us']))?.number).to.equal(2);
    expect(members.choose(of(['urgent', 'us']))?.number).to.equal(1);
    for (const message of [of([]), of(['us']), of(['eu'], 'actor-1')]) {
      expect(members.choose(message)).to.equal(undefined);
      expect(members.hasEligible(message)).to.equal(false);
    }
    expect(members.hasEligible(of(['eu'], 'actor-2'))).to.equal(true);
    expect(isEligible(of([]))({ actorTokenId: 'ann', filters: undefined })).to.equal(true);
    expect(isEligible(of([]))({ actorTokenId: 'nobody', filters: undefined })).to.equal(false);
  });
});

/** Each order of some numbers. */
const ordersOf = (numbers: readonly number[]): readonly (readonly number[])[] =>
  numbers.length === 0
    ? [[]]
    : numbers.flatMap((first) =>
        ordersOf(numbers.filter((number) => number !== first)).map((rest) => [first, ...rest]),
      );

describe('[WS-GROUP-2] the order of members', () => {
  const ordered = (turns: readonly number[]): MemberOrder => {
    const order = new MemberOrder();
    for (const [arrival, turn] of turns.entries())
      order.add({
        ...{ ...member(turn), gatewayId: 'a', turn, arrival, open: new Set() },
        ...{ proposed: 0, proposedTurn: 0, heapIndex: -1 },
      });
    return order;
  };
  /** The first of those with at least a turn, which is that turn's, or none. */
  const firstFrom = (order: MemberOrder, turn: number): number | undefined =>
    order.first((each) => each.turn >= turn)?.turn;

  it('has the first eligible one of a few, in whatever order they came', () => {
    for (const turns of ordersOf([0, 1, 2, 3, 4, 5])) {
      const order = ordered(turns);
      for (const turn of turns) expect(firstFrom(order, turn), turns.join()).to.equal(turn);
      expect(firstFrom(order, 6)).to.equal(undefined);
    }
  });

  it('has the first eligible one of many, also where most are not', () => {
    const chance = seededChance(5);
    const turns = Array.from({ length: 60 }, (_, turn) => turn);
    for (let round = 0; round < 20; round++) {
      const left = [...turns];
      const order = ordered(turns.map(() => left.splice(chance.below(left.length), 1)[0] ?? 0));
      for (const turn of turns) expect(firstFrom(order, turn), `round ${round}`).to.equal(turn);
      expect(firstFrom(order, 60)).to.equal(undefined);
    }
  });
});
