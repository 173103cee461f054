import { expect } from 'chai';
import type { GroupCommand, GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import { GroupMachine } from '../../../src/groups/machine/groupMachine.js';
import { GroupState } from '../../../src/groups/machine/groupState.js';
import type { LocalMember } from '../../../src/groups/machine/localMembers.js';
import { messageMemory } from '../../../src/groups/machine/messageMemory.js';
import { snapshotParts } from '../../../src/groups/machine/snapshot.js';
import { messageOf, room, topic } from '../../support/groupNode.js';

interface TestMember extends LocalMember {
  readonly got: string[];
  filters: LocalMember['filters'];
  entries: number;
}

interface Said {
  readonly command: GroupCommand;
  readonly ref: number;
}

const now = Date.UTC(2026, 0, 1);
const bounds = { messages: 3, bytes: 10_000 };

/** The machine of gateway `a`, where its commands are read when the test says so. */
const world = ({ others = [] as readonly string[], mayHaveBacklog = false } = {}) => {
  const said: Said[] = [];
  const told: string[] = [];
  const machine = new GroupMachine(
    { gatewayId: 'a', bounds, lastNumber: 4, mayHaveBacklog },
    {
      append: (command, ref) => void said.push({ command, ref }),
      replayBacklog: () => void told.push('replay'),
      emptied: () => void told.push('emptied'),
      dropped: (messages) => void told.push(`dropped ${messages}`),
      idle: () => void told.push('idle'),
    },
  );
  machine.announced(others);
  const make = (actorTokenId: string): TestMember => {
    const member: TestMember = {
      ...{ number: 0, actorTokenId, filters: undefined, acks: true, isPersistent: false },
      ...{ got: [], entries: 0 },
      entered: () => void (member.entries += 1),
      deliver: ({ id }) => member.got.push(id) > 0,
    };
    return member;
  };
  const join = (actorTokenId: string): TestMember => {
    const member = make(actorTokenId);
    machine.join(member);
    return member;
  };
  const record = (command: GroupCommand, ref: number, gatewayId: string): GroupRecord => ({
    ...command,
    room,
    topic,
    group: 'g',
    gatewayId,
    ref,
  });
  let foreign = 0;
  /** Reads a command of another gateway. */
  const read = (gatewayId: string, command: GroupCommand): void =>
    machine.command(record(command, (foreign += 1), gatewayId), now);
  /** Reads the first of its own commands that are not read. */
  const readNext = (): void => {
    const next = said.shift();
    if (next !== undefined) machine.command(record(next.command, next.ref, 'a'), now);
  };
  /** Reads its own commands, those that it says meanwhile too. */
  const readOwn = (): void => {
    while (said.length > 0) readNext();
  };
  const kinds = (): readonly string[] =>
    said.map(({ command }) => (command.kind === 'join' ? `join ${command.needs}` : command.kind));
  return { machine, said, told, make, join, read, readNext, readOwn, kinds };
};

const other = (number: number, actorTokenId = `other-${number}`) => ({
  ...{ number, actorTokenId, filters: undefined, acks: true, isPersistent: false, own: undefined },
});

/** The state that gateway `b` has, with the members of `a` and a message. */
const stateOfB = (...own: readonly number[]): GroupState => {
  const state = new GroupState(bounds);
  state.join('b', [other(1)]);
  state.join(
    'a',
    own.map((number) => other(number)),
  );
  state.catchingUp.add('a');
  return state;
};

const partOf = (
  state: GroupState,
  to: string,
  after: [string, number],
): Omit<GroupRecordOf<'state'>, 'room' | 'topic' | 'group' | 'gatewayId' | 'ref'> => {
  const [part] = snapshotParts(state.snapshot);
  if (part === undefined) throw new RangeError('A snapshot has a part');
  return { kind: 'state', to, after, ...part };
};

describe('a gateway without members', () => {
  it('has nothing of a group', () => {
    const { machine } = world();
    expect([machine.phaseName, machine.state, machine.isLeader, machine.isIdle]).to.eql([
      ...['idle', undefined, false, true],
    ]);
    expect([machine.memoryBytes, machine.highestNumber]).to.eql([0, 4]);
  });

  it('keeps nothing, and says nothing', () => {
    const { machine, said, told, read } = world();
    machine.message(messageOf('m1'));
    read('b', { kind: 'join', members: [other(1)], needs: 'founds' });
    machine.acknowledge(['m1']);
    expect(machine.drop(1_000)).to.equal(0);
    for (let ticks = 0; ticks < 30; ticks++) machine.tick();
    machine.participantsChanged(['b/1']);
    machine.participantsChanged([]);
    expect([machine.phaseName, machine.memoryBytes, said, told]).to.eql(['idle', 0, [], []]);
  });
});

describe('a gateway whose members join', () => {
  it('bootstraps the group where it knows of no other, once for all of them', () => {
    const { machine, join, readOwn, kinds } = world();
    const ann = join('ann');
    const ben = join('ben');
    expect(kinds()).to.eql(['join founds', 'join nothing']);
    expect([ann.number, ben.number, machine.phaseName, machine.isIdle]).to.eql([5, 6, 'joining', false]);
    readOwn();
    expect([machine.phaseName, machine.isLeader, ann.entries, ben.entries]).to.eql(['active', true, 1, 1]);
    expect(machine.state?.seen.floorMs).to.equal(now);
    expect(machine.state?.isBacklogPending).to.equal(false);
    join('cid');
    expect(kinds()).to.eql(['join nothing']);
  });

  it('has a backlog where messages may have been recorded, and replays it until that is done', () => {
    const { machine, join, readOwn, told } = world({ mayHaveBacklog: true });
    const ann = join('ann');
    readOwn();
    const requests = told.length;
    expect(told).to.include('replay');
    machine.tick();
    machine.replayInterrupted();
    expect(told).to.have.length(requests + 2);
    machine.replayed(messageOf('m1'), ann);
    machine.backlogReplayed(true);
    machine.tick();
    expect([told.length, machine.state?.collectsWhenEmpty]).to.eql([requests + 2, true]);
    expect([...(machine.state?.open.keys() ?? [])]).to.eql(['m1']);
  });

  it('asks for the state where others may have it, once', () => {
    const { join, kinds, machine, readOwn, told } = world({ others: ['b/1'] });
    join('ann');
    join('ben');
    expect(kinds()).to.eql(['join state', 'join nothing']);
    readOwn();
    expect([machine.phaseName, machine.isIdle, told]).to.eql(['catchingUp', false, []]);
  });

  it('delivers and replays nothing before it has the state', () => {
    const { machine, join, told, said } = world({ others: ['b/1'] });
    const ann = join('ann');
    said.splice(0);
    machine.ready(ann);
    machine.replayed(messageOf('m1'), ann);
    machine.backlogReplayed(true);
    machine.replayInterrupted();
    expect([ann.got, told, said, machine.phaseName]).to.eql([[], [], [], 'joining']);
  });

  it('is not concerned by others that join meanwhile and have bootstrapped nothing', () => {
    const { join, read, readOwn, kinds } = world({ others: ['b/1'] });
    join('ann');
    readOwn();
    for (const needs of ['nothing', 'state'] as const)
      read('c', { kind: 'join', members: [other(1)], needs });
    read('b', { kind: 'check' });
    expect(kinds()).to.eql([]);
  });

  it('goes on from the state that comes after all, and gives way to another bootstrap once its own is read', () => {
    const { machine, join, read, readOwn, said, kinds } = world({ others: ['b/1'] });
    const ann = join('ann');
    const ref = said[0]?.ref ?? 0;
    readOwn();
    for (let ticks = 0; ticks < 21; ticks++) machine.tick();
    read('b', partOf(stateOfB(5), 'a', ['a', ref]));
    expect([machine.phaseName, ann.entries, kinds()]).to.eql(['active', 1, ['join founds']]);
    // The last bootstrap counts, and its own one is still to come.
    read('b', { kind: 'join', members: [other(2)], needs: 'founds' });
    expect([machine.phaseName, ann.number]).to.eql(['active', 5]);
    readOwn();
    expect(machine.phaseName).to.equal('active');
    read('b', { kind: 'join', members: [other(3)], needs: 'founds' });
    expect([machine.phaseName, ann.number]).to.eql(['joining', 6]);
  });

  it('takes away a member that the state has here and nobody knows', () => {
    const { machine, join, read, readOwn, said } = world({ others: ['b/1'] });
    const ann = join('ann');
    const ref = said[0]?.ref ?? 0;
    readOwn();
    read('b', partOf(stateOfB(5, 9), 'a', ['a', ref]));
    expect([machine.phaseName, ann.entries]).to.eql(['active', 1]);
    expect(said.map(({ command }) => command)).to.eql([{ kind: 'leave', members: [9], quit: true }]);
  });

  it('goes on from the state that it gets, with what it has read since', () => {
    const { machine, join, read, readOwn, said } = world({ others: ['b/1'] });
    const ann = join('ann');
    const ref = said[0]?.ref ?? 0;
    readOwn();
    machine.message(messageOf('m1'));
    expect(machine.memoryBytes).to.equal(messageMemory(messageOf('m1')));
    read('b', partOf(stateOfB(5), 'c', ['a', ref]));
    expect([machine.phaseName, ann.entries, said]).to.eql(['catchingUp', 0, []]);
    read('b', partOf(stateOfB(5), 'a', ['a', ref]));
    expect([machine.phaseName, ann.entries, machine.isLeader]).to.eql(['active', 1, false]);
    expect([...(machine.state?.open.keys() ?? [])]).to.eql(['m1']);
    expect(machine.memoryBytes).to.equal(messageMemory(messageOf('m1')));
  });

  it('asks again, once, where it gets a state from before its join', () => {
    const { machine, join, read, readOwn, said, kinds } = world({ others: ['b/1'] });
    const ann = join('ann');
    const ref = said[0]?.ref ?? 0;
    readOwn();
    for (const gatewayId of ['b', 'c']) read(gatewayId, partOf(stateOfB(5), 'a', ['a', ref - 1]));
    expect([machine.phaseName, ann.entries, kinds()]).to.eql(['catchingUp', 0, ['join state']]);
    const [again] = said;
    readOwn();
    read('b', partOf(stateOfB(5), 'a', ['a', again?.ref ?? 0]));
    expect([machine.phaseName, ann.entries, kinds()]).to.eql(['active', 1, []]);
  });

  it('waits for the last part of a state before it asks again', () => {
    const { join, read, readOwn, kinds } = world({ others: ['b/1'] });
    join('ann');
    readOwn();
    const part = partOf(stateOfB(5), 'a', ['b', 7]);
    read('b', { ...part, parts: 2 });
    expect(kinds()).to.eql([]);
    read('b', { ...part, parts: 2, part: 1 });
    expect(kinds()).to.eql(['join state']);
  });

  it('delivers what the state has assigned to its members', () => {
    const { machine, join, read, readOwn, said } = world({ others: ['b/1'] });
    const ann = join('ann');
    const ref = said[0]?.ref ?? 0;
    readOwn();
    const state = stateOfB(5);
    state.add(messageOf('m1'));
    state.assign('m1', state.members.get('a', 5));
    read('b', partOf(state, 'a', ['a', ref]));
    expect([ann.got, machine.phaseName]).to.eql([['m1'], 'active']);
  });

  it('bootstraps when those that may have had the state are gone', () => {
    const { machine, join, kinds } = world({ others: ['b/1', 'c/1'] });
    join('ann');
    machine.participantsChanged(['b/1', 'd/1']);
    // It came later, and has no state.
    expect(kinds()).to.eql(['join state']);
    machine.participantsChanged(['d/1']);
    expect(kinds()).to.eql(['join state', 'join founds']);
    machine.participantsChanged([]);
    expect(kinds()).to.have.length(2);
  });

  it('bootstraps when no state comes for more than twenty ticks after it was asked for', () => {
    const { machine, join, readOwn, kinds } = world({ others: ['b/1'] });
    join('ann');
    // Not read: the others cannot have answered.
    for (let ticks = 0; ticks < 30; ticks++) machine.tick();
    readOwn();
    for (let ticks = 0; ticks < 20; ticks++) machine.tick();
    expect(kinds()).to.eql([]);
    machine.tick();
    expect(kinds()).to.eql(['join founds']);
    for (let ticks = 0; ticks < 30; ticks++) machine.tick();
    expect(kinds()).to.have.length(1);
    readOwn();
    expect(machine.phaseName).to.equal('active');
    for (let ticks = 0; ticks < 30; ticks++) machine.tick();
    expect(kinds()).to.eql([]);
  });

  it('waits another twenty ticks where it has said something else meanwhile', () => {
    const { machine, join, readOwn, kinds } = world({ others: ['b/1'] });
    const ann = join('ann');
    readOwn();
    for (let ticks = 0; ticks < 20; ticks++) machine.tick();
    machine.update(ann);
    machine.tick();
    readOwn();
    for (let ticks = 0; ticks < 20; ticks++) machine.tick();
    expect(kinds()).to.eql([]);
    machine.tick();
    expect(kinds()).to.eql(['join founds']);
  });

  it('asks another one for the state that has bootstrapped the group, unless it is about to do so itself', () => {
    const founds: GroupCommand = { kind: 'join', members: [other(1)], needs: 'founds' };
    const asking = world({ others: ['b/1'] });
    asking.join('ann');
    asking.readOwn();
    asking.read('b', founds);
    expect(asking.kinds()).to.eql(['join state']);
    const founding = world();
    const ann = founding.join('ann');
    founding.read('b', founds);
    expect(founding.kinds()).to.eql(['join founds']);
    founding.readOwn();
    expect([founding.machine.phaseName, founding.machine.state?.members.size]).to.eql(['active', 1]);
    // It has not begun again.
    expect([ann.number, ann.entries]).to.eql([5, 1]);
  });

  it('[WS-GROUP-8] buffers no more messages than the group keeps, and tells how many that cost', () => {
    const { machine, join, told, readOwn } = world({ others: ['b/1'] });
    join('ann');
    // Before its join, which nobody here is a member for.
    machine.message(messageOf('m0'));
    expect(machine.memoryBytes).to.equal(0);
    readOwn();
    for (const id of ['m1', 'm2', 'm3']) machine.message(messageOf(id));
    expect(told).to.eql([]);
    for (const id of ['m4', 'm5']) machine.message(messageOf(id));
    expect(told).to.eql(['dropped 1', 'dropped 1']);
    expect(machine.memoryBytes).to.equal(3 * messageMemory(messageOf('m1')));
  });

  it('[WS-GROUP-11] drops what it has buffered on all gateways', () => {
    const { machine, join, said, readOwn } = world({ others: ['b/1'] });
    join('ann');
    readOwn();
    for (const id of ['m1', 'm2', 'm3']) machine.message(messageOf(id));
    expect(machine.drop(2 * messageMemory(messageOf('m1')))).to.equal(2);
    expect(said.map(({ command }) => command)).to.eql([{ kind: 'done', ids: ['m1', 'm2'] }]);
    machine.acknowledge(['m9']);
    expect(said.at(-1)?.command).to.eql({ kind: 'done', ids: ['m9'] });
  });
});

describe('a gateway that has the state', () => {
  const active = () => {
    const made = world();
    const ann = made.join('ann');
    made.readOwn();
    return { ...made, ann };
  };
  /** With another gateway that has it too. */
  const two = () => {
    const made = active();
    made.machine.participantsChanged(['b/1']);
    made.read('b', { kind: 'join', members: [other(1)], needs: 'state' });
    made.readOwn();
    return made;
  };

  it('delivers, and acknowledges', () => {
    const { machine, ann } = active();
    machine.message(messageOf('m1'));
    expect(ann.got).to.eql(['m1']);
    machine.acknowledge(['m1']);
    expect(machine.state?.open.size).to.equal(0);
    machine.message(messageOf('m2'));
    expect(machine.drop(1)).to.equal(1);
    expect(machine.state?.open.size).to.equal(0);
  });

  it('tells the others of the filters of a member that it has, and of no other', () => {
    const { machine, ann, said, make } = active();
    machine.update(make('eve'));
    expect(said).to.eql([]);
    ann.filters = ['eu'];
    machine.update(ann);
    expect(said[0]?.command).to.deep.include({ kind: 'join', needs: 'nothing' });
    expect(said[0]?.command).to.have.deep.nested.property('members[0].filters', ['eu']);
  });

  it('lets a member go once that is read, and has nothing of the group after the last one', () => {
    const { machine, ann, said, told, make, readOwn } = active();
    let left = 0;
    machine.leave(make('eve'), true);
    expect(said).to.eql([]);
    machine.leave(ann, true, () => void (left += 1));
    expect(said[0]?.command).to.eql({ kind: 'leave', members: [5], quit: true });
    expect([left, machine.isIdle, machine.phaseName]).to.eql([0, false, 'active']);
    readOwn();
    expect([left, machine.isIdle, machine.phaseName]).to.eql([1, true, 'idle']);
    expect(told).to.eql(['emptied', 'idle']);
  });

  it('is not idle before all that it has said is read', () => {
    const { machine, ann, told, readNext, readOwn } = two();
    machine.leave(ann, true);
    machine.acknowledge(['m1']);
    readNext();
    expect([machine.phaseName, machine.isIdle, told]).to.eql(['idle', false, []]);
    readOwn();
    expect([machine.isIdle, told]).to.eql([true, ['idle']]);
  });

  it('begins again with a member that comes while the last one leaves', () => {
    const { machine, ann, join, readOwn } = active();
    machine.leave(ann, true);
    const ben = join('ben');
    readOwn();
    expect([machine.phaseName, ben.entries, ben.number]).to.eql(['active', 1, 6]);
    machine.message(messageOf('m1'));
    expect(ben.got).to.eql(['m1']);
  });

  it('[WS-GROUP-4] declares a gateway dead when its last participant has gone', () => {
    const { machine, kinds, said } = two();
    machine.participantsChanged(['b/1', 'b/2']);
    machine.participantsChanged(['b/2']);
    expect(kinds()).to.eql([]);
    machine.participantsChanged([]);
    expect(said.map(({ command }) => command)).to.eql([{ kind: 'gone', gone: 'b', upTo: 1 }]);
  });

  it('never declares itself dead', () => {
    const { machine, kinds } = active();
    for (let ticks = 0; ticks < 10; ticks++) machine.tick();
    expect(kinds()).to.eql([]);
  });

  it('joins again with all its members where some were declared dead, and hands over what it has', () => {
    const { machine, ann, join, read, readOwn, said } = two();
    const ben = join('ben');
    readOwn();
    machine.message(messageOf('m1'));
    said.splice(0);
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    expect([machine.phaseName, ann.number, ben.number]).to.eql(['joining', 7, 8]);
    expect(said.map(({ command }) => command)).to.eql([
      { kind: 'leave', members: [6], quit: true },
      { kind: 'messages', messages: [messageOf('m1')] },
      { kind: 'join', members: [other(7, 'ann'), other(8, 'ben')], needs: 'state' },
    ]);
  });

  it('[WS-GROUP-4] hands over what only its members could have got until they have joined again', () => {
    const { machine, read, readNext, said } = two();
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    for (const id of ['m1', 'm2']) machine.message(messageOf(id, { publisher: 'other-1' }));
    machine.message(messageOf('m3'));
    read('b', { kind: 'messages', messages: [messageOf('m1')] });
    readNext();
    expect([machine.phaseName, machine.memoryBytes]).to.eql(['catchingUp', 0]);
    expect(said.map(({ command }) => command)).to.eql([
      { kind: 'messages', messages: [messageOf('m2', { publisher: 'other-1' })] },
    ]);
  });

  it('[WS-GROUP-8] [WS-GROUP-11] keeps no more of that than the group would, and drops it too', () => {
    const { machine, read, said, told } = two();
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    said.splice(0);
    for (const id of ['m1', 'm2', 'm3', 'm4']) machine.message(messageOf(id, { publisher: 'other-1' }));
    expect(told).to.eql(['dropped 1']);
    expect(machine.memoryBytes).to.equal(3 * messageMemory(messageOf('m1')));
    expect(machine.drop(1)).to.equal(1);
    expect(said.map(({ command }) => command)).to.eql([{ kind: 'done', ids: ['m2'] }]);
  });

  it('joins nobody again where nobody is left of those who were declared dead', () => {
    const { machine, ann, join, read, readOwn, said } = two();
    join('ben');
    readOwn();
    machine.leave(ann, true);
    said.splice(0);
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    expect([machine.phaseName, said]).to.eql(['active', []]);
  });

  it('hands over what it has to one that has bootstrapped the group without it, and asks it for the state', () => {
    const { machine, ann, read, said } = two();
    machine.message(messageOf('m1'));
    said.splice(0);
    read('b', { kind: 'join', members: [other(2)], needs: 'founds' });
    expect([machine.phaseName, ann.number, machine.memoryBytes]).to.eql(['joining', 6, 0]);
    expect(said.map(({ command }) => command)).to.eql([
      { kind: 'leave', members: [5], quit: true },
      { kind: 'messages', messages: [messageOf('m1')] },
      { kind: 'join', members: [other(6, 'ann')], needs: 'state' },
    ]);
  });
});
