import { expect } from 'chai';
import fc from 'fast-check';
import type { GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import { GroupState, SeenMessages, type OpenMessage } from '../../src/groups/machine/groupState.js';
import { MemberOrder, type Member } from '../../src/groups/machine/members.js';
import { messageOf } from '../support/groupNode.js';

const member = (number: number, fields: Partial<GroupMember> = {}): GroupMember => ({
  ...{ number, actorTokenId: `actor-${number}`, filters: undefined, acks: true, isPersistent: false },
  ...fields,
});

const assign = (
  state: GroupState,
  id: string,
  [gatewayId, number]: readonly [string, number],
): OpenMessage | undefined => state.assign(id, state.members.get(gatewayId, number));

describe('the state of a worker group', () => {
  let state: GroupState;

  beforeEach(() => {
    state = new GroupState({ messages: 3, bytes: 100 });
    state.join('a', [member(1), member(2)]);
  });

  const chosenFor = (fields: Parameters<typeof messageOf>[1] = {}): number | undefined =>
    state.members.choose(messageOf('x', fields))?.number;
  const take = (id: string, bytes = 1): void => state.add(messageOf(id, { body: new Uint8Array(bytes) }));

  it('[WS-GROUP-2] chooses the member with the fewest open messages, and in turn among equals', () => {
    take('m1');
    assign(state, 'm1', ['a', 1]);
    expect(chosenFor()).to.equal(2);
    take('m2');
    assign(state, 'm2', ['a', 2]);
    expect(chosenFor()).to.equal(1);
    state.acknowledge('m2');
    expect(chosenFor()).to.equal(2);
  });

  it('[WS-GROUP-2] counts no messages of members whose clients do not acknowledge', () => {
    const turns = new GroupState({ messages: 10, bytes: 100 });
    turns.join('a', [member(1, { acks: false }), member(2, { acks: false })]);
    for (const [id, number] of [
      ['m1', 1],
      ['m2', 2],
      ['m3', 1],
    ] as const) {
      turns.add(messageOf(id));
      expect(turns.members.choose(messageOf(id))?.number).to.equal(number);
      assign(turns, id, ['a', number]);
      if (number === 2) turns.acknowledge(id);
    }
  });

  it('[WS-GROUP-2] applies the first assignment of a message', () => {
    take('m1');
    expect(assign(state, 'm1', ['a', 1])?.assignee?.number).to.equal(1);
    expect(assign(state, 'm1', ['a', 2])).to.equal(undefined);
    expect(assign(state, 'm2', ['a', 2])).to.equal(undefined);
  });

  it('[WS-GROUP-2] assigns nothing to members that have left, and reassigns their messages', () => {
    take('m1');
    state.leave('a', [1]);
    expect(assign(state, 'm1', ['a', 1])).to.equal(undefined);
    assign(state, 'm1', ['a', 2]);
    state.removeGateway('a', 2);
    expect([...state.unassigned]).to.deep.equal(['m1']);
    expect(state.members.size).to.equal(0);
  });

  it('[WS-GROUP-3] adds no message without an eligible member, and keeps one that the group already has', () => {
    const small = new GroupState({ messages: 9, bytes: 100 });
    small.join('a', [member(1, { filters: ['eu'] })]);
    small.add(messageOf('m1', { filters: ['us'] }));
    small.add(messageOf('m2', { filters: ['eu'], publisher: 'actor-1' }));
    expect(small.open.size).to.equal(0);
    small.join('b', [member(2)]);
    small.add(messageOf('m3', { publisher: 'actor-1' }));
    small.leave('b', [2]);
    expect(small.choose('m3')).to.equal(undefined);
    expect([...small.unassigned]).to.deep.equal([]);
    small.join('b', [member(3)]);
    expect([...small.unassigned]).to.deep.equal(['m3']);
  });

  it('[WS-GROUP-8] drops the oldest open messages above its limits, and counts them', () => {
    for (const id of ['m1', 'm2', 'm3', 'm4']) take(id);
    expect([...state.open.keys()]).to.deep.equal(['m2', 'm3', 'm4']);
    expect(state.dropped).to.equal(1);
    take('m5', 99);
    expect([...state.open.keys()]).to.deep.equal(['m4', 'm5']);
    expect(state.dropped).to.equal(3);
  });

  it('is the same when it is restored from a snapshot', () => {
    for (const id of ['m1', 'm2']) take(id);
    assign(state, 'm1', ['a', 1]);
    state.catchingUp.add('b');
    const { snapshot } = state;
    const replicated = GroupState.of({ messages: 3, bytes: 100 }, snapshot);
    for (const one of [state, replicated]) {
      expect(one.snapshot).to.deep.equal(snapshot);
      expect([...one.unassigned]).to.deep.equal(['m2']);
      expect(one.members.choose(messageOf('x'))?.number).to.equal(2);
      expect(one.leader).to.equal('a');
    }
  });

  it('has a leader that has the state', () => {
    state.join('b', [member(3)]);
    state.catchingUp.add('a');
    expect(state.leader).to.equal('b');
    expect(state.isSoleGateway('b')).to.equal(false);
    state.removeGateway('a', 2);
    expect(state.isSoleGateway('b')).to.equal(true);
  });
});

describe('the messages that a group has seen', () => {
  const start = Date.UTC(2026, 0, 1);
  const idAt = (ms: number): string => `${(start + ms).toString(36).padStart(9, '0')}.x`;

  for (const laterMs of [0, 5_000, 5_001, 10_000])
    it(`[WS-GROUP-2] include one of which a second copy comes when others are ${laterMs} ms newer`, () => {
      const state = new GroupState({ messages: 9, bytes: 100 });
      state.join('a', [member(1)]);
      const [id, newest] = [idAt(0), idAt(laterMs)];
      for (const each of [id, newest]) {
        state.add(messageOf(each));
        state.acknowledge(each);
      }
      state.add(messageOf(id));
      expect(state.open.size).to.equal(0);
    });

  it('[WS-ONCE-4] include one with a given id for a minute, since it may be sent once more', () => {
    const seen = new SeenMessages(0);
    const given = `${idAt(0).slice(0, 9)}0000.gateway~order-7`;
    for (const id of [given, idAt(0), idAt(60_000)]) seen.add(id);
    expect([seen.has(given), seen.has(idAt(0))]).to.deep.equal([true, false]);
    expect(new SeenMessages(seen.floorMs, seen.ids).has(given)).to.equal(true);
    seen.add(idAt(60_001));
    expect(seen.has(given)).to.equal(false);
  });

  it('are forgotten when others are more than 10 s newer, and all that are older count as acknowledged', () => {
    const seen = new SeenMessages(0);
    for (const ms of [0, 1, 10_001]) seen.add(idAt(ms));
    expect(seen.ids).to.deep.equal([idAt(1), idAt(10_001)]);
    expect(seen.floorMs).to.equal(acceptedAt(idAt(0)) + 1);
  });
});

let arrivals = 0;

const orderedMember = (fields: Partial<Member> = {}): Member => ({
  ...{ number: ++arrivals, actorTokenId: 'a', filters: undefined, acks: true, isPersistent: false },
  ...{ gatewayId: 'g', turn: 0, open: new Set<string>(), proposed: 0, proposedTurn: 0, heapIndex: -1 },
  arrival: arrivals,
  ...fields,
});

/** The rule as the protocol has it. */
const before = (one: Member, other: Member): number => {
  const load = ({ acks, open, proposed }: Member) => (acks ? open.size + proposed : 0);
  const turn = (each: Member) => Math.max(each.turn, each.proposedTurn);
  return load(one) - load(other) || turn(one) - turn(other) || one.arrival - other.arrival;
};

type Step = (order: MemberOrder, members: Member[]) => void;

const one = fc.nat(1_000);
const at = (members: readonly Member[], choice: number): Member | undefined =>
  members[choice % Math.max(1, members.length)];
const coming = fc.tuple(fc.nat(3), fc.boolean()).map(([turn, acks]): Step => (order, members) => {
  const came = orderedMember({ turn, acks });
  members.push(came);
  order.add(came);
});
const going = one.map((choice): Step => (order, members) => {
  const gone = at(members, choice);
  if (gone === undefined) return;
  members.splice(members.indexOf(gone), 1);
  order.remove(gone);
});
const changing = fc
  .tuple(one, fc.nat(5), fc.nat(5), fc.nat(5))
  .map(([choice, load, turn, proposed]): Step => (order, members) => {
    const changed = at(members, choice);
    if (changed === undefined) return;
    changed.open.clear();
    for (let count = 0; count < load; count++) changed.open.add(`m${count}`);
    Object.assign(changed, { turn, proposed, proposedTurn: proposed });
    order.update(changed);
  });

describe('the order of the members of a group', () => {
  it('[WS-GROUP-2] begins with the eligible member that has the fewest open messages and has waited longest', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: coming },
        { weight: 1, arbitrary: going },
        { weight: 4, arbitrary: changing },
      ),
      { maxLength: 150 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (given, oneIn) => {
        const order = new MemberOrder();
        const members: Member[] = [];
        for (const step of given) {
          step(order, members);
          for (const may of [() => true, ({ number }: Member) => number % oneIn === 0, () => false]) {
            const [best] = members.filter(may).sort(before);
            expect(order.first(may)?.number).to.equal(best?.number);
            expect(order.hasAny(may)).to.equal(best !== undefined);
          }
        }
      }),
      { seed: 64, numRuns: 100 },
    );
  });

  it('examines few of many members when most are eligible', () => {
    const order = new MemberOrder();
    for (let count = 0; count < 10_000; count++) order.add(orderedMember({ turn: count }));
    let examined = 0;
    order.first(({ turn }) => ++examined > 0 && turn >= 3);
    expect(examined).to.equal(4);
  });
});
