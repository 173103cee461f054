import { expect } from 'chai';
import type { GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import { GroupState, SeenMessages } from '../../../src/groups/machine/groupState.js';
import type { Member } from '../../../src/groups/machine/members.js';
import { messageMemory } from '../../../src/groups/machine/messageMemory.js';
import { messageOf } from '../../support/groupNode.js';

const bounds = { messages: 100, bytes: 10_000 };
const start = Date.UTC(2026, 0, 1);
const idAt = (ms: number): string => `${(start + ms).toString(36).padStart(9, '0')}.x`;
const member = (number: number, fields: Partial<GroupMember> = {}): GroupMember => ({
  ...{ number, actorTokenId: `actor-${number}`, filters: undefined, acks: true, isPersistent: false },
  ...fields,
});

describe('the open messages of a worker group', () => {
  let state: GroupState;
  const one = (): Member => state.members.get('a', 1) as Member;

  beforeEach(() => {
    state = new GroupState(bounds);
    state.join('a', [member(1)]);
  });

  it('are unassigned at first, then those of a member, and unassigned again when it leaves', () => {
    state.add(messageOf('m1'));
    expect([...state.unassigned]).to.eql(['m1']);
    const open = state.assign('m1', one());
    expect(open).to.include({ assignee: one(), isDelivered: false, isDropping: false });
    expect([...state.unassigned, ...one().open]).to.eql(['m1']);
    if (open) open.isDelivered = true;
    state.leave('a', [1]);
    expect(state.open.get('m1')).to.include({ assignee: undefined, isDelivered: false });
    expect([...state.unassigned]).to.eql(['m1']);
  });

  it('[WS-GROUP-2] are added once, also when they were acknowledged', () => {
    state.add(messageOf('m1'));
    const [open] = state.open.values();
    state.add(messageOf('m1'));
    state.restore(messageOf('m1'));
    expect([...state.open.values()]).to.eql([open]);
    state.acknowledge('m1');
    state.acknowledge('m1');
    state.add(messageOf('m1'));
    expect([state.open.size, state.unassigned.size, state.memoryBytes]).to.eql([0, 0, 0]);
  });

  it('are restored although no member is eligible, and count as seen', () => {
    state.restore(messageOf('m1', { publisher: 'actor-1' }));
    expect([...state.open.keys()]).to.eql(['m1']);
    expect(state.seen.has('m1')).to.equal(true);
    state.acknowledge('m1');
    state.add(messageOf('m1'));
    expect(state.open.size).to.equal(0);
  });

  it('are no load of a member once they are acknowledged', () => {
    state.add(messageOf('m1'));
    state.assign('m1', one());
    state.acknowledge('m1');
    expect([one().open.size, state.open.size]).to.eql([0, 0]);
  });

  it('that nobody is eligible for wait for other members, or are acknowledged', () => {
    for (const id of ['m1', 'm2']) state.restore(messageOf(id, { publisher: 'actor-1' }));
    for (const id of ['m1', 'm2']) expect(state.choose(id)).to.equal(undefined);
    expect([...state.unassigned]).to.eql([]);
    state.acknowledge('m2');
    state.join('a', [member(2)]);
    expect([...state.unassigned]).to.eql(['m1']);
    expect(state.choose('m1')?.number).to.equal(2);
    expect([...state.unassigned]).to.eql(['m1']);
  });

  it('that were parked and are assigned do not come back with the next member', () => {
    state.restore(messageOf('m1', { publisher: 'actor-1' }));
    state.choose('m1');
    state.assign('m1', one());
    state.join('a', [member(2)]);
    expect([...state.unassigned]).to.eql([]);
  });

  it('that are proposed are not to be assigned until that is settled', () => {
    state.join('a', [member(2)]);
    state.add(messageOf('m1'));
    state.propose('m1', one());
    expect([[...state.unassigned], one().proposed]).to.eql([[], 1]);
    expect(state.choose('m1')?.number).to.equal(2);
    // It did not take effect.
    state.settleProposal('m1');
    expect([[...state.unassigned], one().proposed]).to.eql([['m1'], 0]);
    state.settleProposal('m1');
    expect(one().proposed).to.equal(0);
  });

  it('that are proposed and assigned, or acknowledged, are settled for good', () => {
    for (const id of ['m1', 'm2']) {
      state.add(messageOf(id));
      state.propose(id, one());
    }
    state.assign('m1', one());
    state.acknowledge('m2');
    for (const id of ['m1', 'm2']) state.settleProposal(id);
    expect([[...state.unassigned], one().proposed]).to.eql([[], 0]);
  });

  it('are settled where their member is gone, or its place is taken', () => {
    state.add(messageOf('m1'));
    const gone = one();
    state.propose('m1', gone);
    state.leave('a', [1]);
    state.join('a', [member(1)]);
    state.settleProposal('m1');
    expect([gone.proposed, one().proposed, [...state.unassigned]]).to.eql([1, 0, ['m1']]);
  });

  it('[WS-GROUP-8] are bounded by their bytes, and by those of none that was acknowledged', () => {
    state = new GroupState({ messages: 100, bytes: 10 });
    state.join('a', [member(1)]);
    const sized = (id: string, bytes: number) => messageOf(id, { body: new Uint8Array(bytes) });
    state.add(sized('m1', 4));
    state.add(sized('m2', 6));
    expect([state.open.size, state.dropped]).to.eql([2, 0]);
    state.acknowledge('m2');
    state.add(sized('m3', 6));
    expect([state.open.size, state.dropped]).to.eql([2, 0]);
    state.add(sized('m4', 1));
    expect([[...state.open.keys()], state.dropped]).to.eql([['m3', 'm4'], 1]);
  });

  it('[WS-GROUP-11] are dropped, the oldest first, until so many bytes are free', () => {
    const size = messageMemory(messageOf('m1'));
    for (const id of ['m1', 'm2', 'm3']) state.add(messageOf(id));
    expect(state.memoryBytes).to.equal(3 * size);
    expect(state.startDropping(0)).to.eql([]);
    expect(state.startDropping(1)).to.eql(['m1']);
    expect([state.memoryBytes, state.open.size]).to.eql([2 * size, 3]);
    expect(state.open.get('m1')?.isDropping).to.equal(true);
    // What is being dropped is not dropped twice, nor free twice.
    expect(state.startDropping(size)).to.eql(['m2']);
    state.acknowledge('m1');
    expect(state.memoryBytes).to.equal(size);
    state.acknowledge('m3');
    expect(state.memoryBytes).to.equal(0);
  });
});

describe('a worker group', () => {
  it('[WS-GROUP-9] collects messages once a persistent member was disconnected, not when it has quit', () => {
    for (const [isPersistent, quit, collects] of [
      [true, false, true],
      [true, true, false],
      [false, false, false],
    ] as const) {
      const state = new GroupState(bounds);
      state.join('a', [member(1, { isPersistent })]);
      expect([state.collectsWhenEmpty, state.mayCollect]).to.eql([false, isPersistent]);
      state.leave('a', [1], quit);
      expect([state.collectsWhenEmpty, state.mayCollect]).to.eql([collects, collects]);
    }
  });

  it('[WS-GROUP-9] collects messages of members whose gateway has gone, or that have not said that they quit', () => {
    for (const end of ['removeGateway', 'leave'] as const) {
      const state = new GroupState(bounds);
      state.join('a', [member(1, { isPersistent: true })]);
      if (end === 'leave') state.leave('a', [1]);
      else state.removeGateway('a', 1);
      expect(state.collectsWhenEmpty).to.equal(true);
    }
  });

  it('has a backlog until that is replayed, and collects if that did', () => {
    const state = new GroupState(bounds);
    expect(state.isBacklogPending).to.equal(false);
    state.isBacklogPending = true;
    state.backlogReplayed(false);
    expect([state.isBacklogPending, state.collectsWhenEmpty]).to.eql([false, false]);
    state.backlogReplayed(true);
    state.backlogReplayed(false);
    expect(state.collectsWhenEmpty).to.equal(true);
  });

  it('loses the members of a dead gateway up to a number, and is caught up with once none is left there', () => {
    const state = new GroupState(bounds);
    state.join('a', [member(1), member(2)]);
    state.join('b', [member(1)]);
    state.join('a', [member(3)]);
    state.catchingUp.add('a');
    state.leave('a', [3]);
    expect([...state.catchingUp]).to.eql(['a']);
    state.removeGateway('a', 1);
    expect([state.members.size, [...state.catchingUp]]).to.eql([2, ['a']]);
    expect(state.leader).to.equal('b');
    state.leave('a', [2]);
    expect([state.members.size, [...state.catchingUp]]).to.eql([1, []]);
    // Nobody is there.
    state.leave('c', [1]);
    expect(state.members.size).to.equal(1);
  });

  it('has no leader while nobody has the state', () => {
    const state = new GroupState(bounds);
    expect([state.leader, state.isSoleGateway('a')]).to.eql([undefined, false]);
    state.join('a', [member(1)]);
    expect([state.leader, state.isSoleGateway('a')]).to.eql(['a', true]);
    state.catchingUp.add('a');
    expect([state.leader, state.isSoleGateway('a')]).to.eql([undefined, false]);
  });

  it('has acknowledged what is older than what is open, and than what it remembers', () => {
    const state = new GroupState(bounds, new SeenMessages(start));
    state.join('a', [member(1)]);
    expect(state.acknowledgedUntilMs).to.equal(start);
    state.restore(messageOf(idAt(-5)));
    state.restore(messageOf(idAt(-7)));
    expect(state.acknowledgedUntilMs).to.equal(start - 7);
  });

  it('is the same from a snapshot, whatever it holds', () => {
    const state = new GroupState(bounds);
    state.join('a', [member(1), member(2)]);
    state.catchingUp.add('b');
    for (const id of ['m1', 'm2', 'm3']) state.add(messageOf(id));
    state.assign('m1', state.members.get('a', 1));
    state.isBacklogPending = true;
    state.collectsWhenEmpty = true;
    const again = GroupState.of(bounds, state.snapshot);
    expect(again.snapshot).to.eql(state.snapshot);
    expect([again.isBacklogPending, again.collectsWhenEmpty]).to.eql([true, true]);
    expect([...(again.members.get('a', 1)?.open ?? [])]).to.eql(['m1']);
    expect([again.memoryBytes, again.seen.has('m2')]).to.eql([state.memoryBytes, true]);
    const { snapshot } = state;
    expect(snapshot.awaiting).to.eql(['b']);
    expect(snapshot.held.map(([{ id }, assignee]) => [id, assignee])).to.eql([
      ['m1', ['a', 1]],
      ['m2', null],
      ['m3', null],
    ]);
  });

  it('keeps of a snapshot what its own bounds allow', () => {
    const state = new GroupState(bounds);
    state.join('a', [member(1)]);
    state.add(messageOf('m1', { body: new Uint8Array(20) }));
    state.assign('m1', state.members.get('a', 1));
    const again = GroupState.of({ messages: 9, bytes: 10 }, state.snapshot);
    expect([again.open.size, again.members.get('a', 1)?.open.size]).to.eql([0, 0]);
  });
});

describe('the messages that a group remembers', () => {
  it('are two thousand at most', () => {
    const seen = new SeenMessages(0);
    for (let ms = 0; ms < 2_000; ms++) seen.add(idAt(ms));
    expect([seen.ids.length, seen.floorMs]).to.eql([2_000, 0]);
    seen.add(idAt(2_000));
    expect([seen.ids.length, seen.floorMs]).to.eql([2_000, start + 1]);
    expect([seen.has(idAt(0)), seen.has(idAt(1))]).to.eql([false, true]);
  });

  it('keep their floor where an older one is forgotten', () => {
    const seen = new SeenMessages(start + 50, [idAt(0)]);
    expect([seen.ids, seen.floorMs]).to.eql([[idAt(0)], start + 50]);
    seen.add(idAt(10_001));
    expect([seen.ids, seen.floorMs]).to.eql([[idAt(10_001)], start + 50]);
  });

  it('are as old as the newest makes them, whatever comes after it', () => {
    const seen = new SeenMessages(0);
    for (const ms of [5_000, 10_002, 3]) seen.add(idAt(ms));
    expect(seen.ids).to.eql([5_000, 10_002, 3].map(idAt));
    expect(acceptedAt(idAt(3))).to.equal(start + 3);
    expect(acceptedAt(idAt(3).replace('.', ''))).to.equal(start + 3);
  });
});
