import { expect } from 'chai';
import type { GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import { GroupState } from '../../src/groups/groupState.js';
import { messageOf } from '../support/groupNode.js';

const member = (number: number, fields: Partial<GroupMember> = {}): GroupMember => ({
  ...{ number, actorTokenId: `actor-${number}`, filters: undefined, acks: true, isPersistent: false },
  ...fields,
});

describe('the state of a worker group', () => {
  let state: GroupState;

  beforeEach(() => {
    state = new GroupState({ messages: 3, bytes: 100 });
    state.join('a', [member(1), member(2)]);
  });

  const chosenFor = (fields: Parameters<typeof messageOf>[1] = {}): number | undefined =>
    state.choose(messageOf('x', fields))?.number;
  const take = (id: string, bytes = 1): void => state.take(messageOf(id, { body: new Uint8Array(bytes) }));

  it('[WS-GROUP-2] chooses the one with the fewest messages, and in turn among equals', () => {
    take('m1');
    state.assign('m1', ['a', 1]);
    expect(chosenFor()).to.equal(2);
    take('m2');
    state.assign('m2', ['a', 2]);
    expect(chosenFor()).to.equal(1);
    state.done('m2');
    expect(chosenFor()).to.equal(2);
  });

  it('[WS-GROUP-2] counts nothing for those whose clients acknowledge nothing', () => {
    const turns = new GroupState({ messages: 10, bytes: 100 });
    turns.join('a', [member(1, { acks: false }), member(2, { acks: false })]);
    for (const [id, number] of [
      ['m1', 1],
      ['m2', 2],
      ['m3', 1],
    ] as const) {
      turns.take(messageOf(id));
      expect(turns.choose(messageOf(id))?.number).to.equal(number);
      turns.assign(id, ['a', number]);
      if (number === 2) turns.done(id);
    }
  });

  it('[WS-GROUP-2] lets the first assignment of a message hold', () => {
    take('m1');
    expect(state.assign('m1', ['a', 1])?.assignee?.number).to.equal(1);
    expect(state.assign('m1', ['a', 2])).to.equal(undefined);
    expect(state.assign('m2', ['a', 2])).to.equal(undefined);
  });

  it('[WS-GROUP-2] gives nothing to those who have left, and what they had to the others', () => {
    take('m1');
    state.leave('a', [1]);
    expect(state.assign('m1', ['a', 1])).to.equal(undefined);
    state.assign('m1', ['a', 2]);
    state.gone('a', 2);
    expect([...state.loose]).to.deep.equal(['m1']);
    expect(state.members.size).to.equal(0);
  });

  it('[WS-GROUP-3] takes a message neither for its publisher nor past all filters, and keeps one that was the group’s', () => {
    const small = new GroupState({ messages: 9, bytes: 100 });
    small.join('a', [member(1, { filters: ['eu'] })]);
    small.take(messageOf('m1', { filters: ['us'] }));
    small.take(messageOf('m2', { filters: ['eu'], publisher: 'actor-1' }));
    expect(small.held.size).to.equal(0);
    small.join('b', [member(2)]);
    small.take(messageOf('m3', { publisher: 'actor-1' }));
    small.leave('b', [2]);
    small.setAside('m3');
    expect([...small.loose]).to.deep.equal([]);
    small.join('b', [member(3)]);
    expect([...small.loose]).to.deep.equal(['m3']);
  });

  it('[WS-GROUP-8] drops the oldest when there are too many, and counts them', () => {
    for (const id of ['m1', 'm2', 'm3', 'm4']) take(id);
    expect([...state.held.keys()]).to.deep.equal(['m2', 'm3', 'm4']);
    expect(state.dropped).to.equal(1);
    take('m5', 99);
    expect([...state.held.keys()]).to.deep.equal(['m4', 'm5']);
    expect(state.dropped).to.equal(3);
  });

  it('is the same when it has been told to somebody', () => {
    for (const id of ['m1', 'm2']) take(id);
    state.assign('m1', ['a', 1]);
    state.awaiting.add('b');
    const { snapshot } = state;
    const told = GroupState.of({ messages: 3, bytes: 100 }, snapshot);
    for (const one of [state, told]) {
      expect(one.snapshot).to.deep.equal(snapshot);
      expect([...one.loose]).to.deep.equal(['m2']);
      expect(one.choose(messageOf('x'))?.number).to.equal(2);
      expect(one.sequencer).to.equal('a');
    }
  });

  it('has a sequencer that has the state', () => {
    state.join('b', [member(3)]);
    state.awaiting.add('a');
    expect(state.sequencer).to.equal('b');
    expect(state.isAlone('b')).to.equal(false);
    state.gone('a', 2);
    expect(state.isAlone('b')).to.equal(true);
  });
});
