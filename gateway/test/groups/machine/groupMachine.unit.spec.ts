import { expect } from 'chai';
import type { GroupCommand } from '@roomwire/shared/wire/bus/groupRecord';
import { messageMemory } from '../../../src/groups/machine/messageMemory.js';
import { messageOf } from '../../support/groupNode.js';
import {
  machineWorld as world,
  now,
  other,
  partOf,
  stateOfB,
  twoGateways as two,
} from '../../support/machineWorld.js';

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

  it('joins nobody again where nobody is left of those who were declared dead', () => {
    const { machine, ann, join, read, readOwn, said } = two();
    join('ben');
    readOwn();
    machine.leave(ann, true);
    said.splice(0);
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    expect([machine.phaseName, said]).to.eql(['active', []]);
  });
});
