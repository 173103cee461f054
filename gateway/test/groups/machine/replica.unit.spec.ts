import { expect } from 'chai';
import type { GroupCommand } from '@roomwire/shared/wire/bus/groupRecord';
import { GroupState } from '../../../src/groups/machine/groupState.js';
import { LocalMembers, OwnCommands, type LocalMember } from '../../../src/groups/machine/localMembers.js';
import { messageMemory } from '../../../src/groups/machine/messageMemory.js';
import { Replica, type Outcome } from '../../../src/groups/machine/replica.js';
import { messageOf, room, topic } from '../../support/groupNode.js';

interface TestMember extends LocalMember {
  readonly got: string[];
  isReady: boolean;
  entries: number;
}

/** The replica of gateway `a`, which has a member with number 1, and what it has said. */
const world = (bounds = { messages: 100, bytes: 10_000 }) => {
  const said: GroupCommand[] = [];
  const told: string[] = [];
  const local = new LocalMembers(0);
  const commands = new OwnCommands((command) => void said.push(command));
  const doubts = { isBootstrapping: false };
  const state = new GroupState(bounds);
  const replica = new Replica(state, {
    ...{ gatewayId: 'a', local, commands, isBootstrapping: () => doubts.isBootstrapping },
    outputs: {
      replayBacklog: () => void told.push('replay'),
      emptied: () => void told.push('emptied'),
      collectsNoMore: () => void told.push('collectsNoMore'),
      dropped: (messages) => void told.push(`dropped ${messages}`),
    },
  });
  const add = (actorTokenId: string, acks = true): TestMember => {
    const member: TestMember = {
      ...{ number: 0, actorTokenId, filters: undefined, acks, isPersistent: false },
      ...{ got: [], isReady: true, entries: 0 },
      entered: () => void (member.entries += 1),
      deliver: ({ id }) => member.isReady && member.got.push(id) > 0,
    };
    local.add(member);
    return member;
  };
  let ref = 100;
  const read = (command: GroupCommand, gatewayId = 'a'): Outcome =>
    replica.command({ ...command, room, topic, group: 'g', gatewayId, ref: ref++ });
  /** Reads what it has said itself. */
  const readOwn = (): void => {
    for (const command of said.splice(0)) read(command);
  };
  const join = (gatewayId: string, ...numbers: readonly number[]): void =>
    state.join(
      gatewayId,
      numbers.map((number) => ({
        ...{
          number,
          actorTokenId: `${gatewayId}${number}`,
          filters: undefined,
          acks: true,
          isPersistent: false,
        },
      })),
    );
  const ann = add('ann');
  state.join('a', local.announce([ann]));
  return { ...{ said, told, local, commands, doubts, state, replica, add, read, readOwn, join, ann } };
};

const holding = (actorTokenId: string) => ({
  ...{ number: 9, actorTokenId, filters: undefined, acks: true, isPersistent: false },
});

describe('the replica of a worker group', () => {
  describe('on the sole gateway', () => {
    it('assigns and delivers at once, and says nothing', () => {
      const { replica, state, ann, said, told } = world();
      replica.message(messageOf('m1'));
      expect([replica.isLeader, ann.got]).to.eql([true, ['m1']]);
      expect(state.open.get('m1')).to.include({ isDelivered: true });
      replica.acknowledge(['m1']);
      expect([state.open.size, said, told]).to.eql([0, [], []]);
    });

    it('has acknowledged what a member got that does not acknowledge', () => {
      const { replica, state, add, local } = world();
      const ben = add('ben', false);
      state.join('a', local.announce([ben]));
      for (const id of ['m1', 'm2']) replica.message(messageOf(id, { publisher: 'ann' }));
      expect([ben.got, state.open.size]).to.eql([['m1', 'm2'], 0]);
    });

    it('keeps what nobody is eligible for', () => {
      const { replica, state, ann } = world();
      state.restore(messageOf('m1', { publisher: 'ann' }));
      replica.assignMessages();
      expect([ann.got, state.open.size, state.unassigned.size]).to.eql([[], 1, 0]);
    });
  });

  describe('on one of several gateways', () => {
    it('assigns by a command where it leads, and delivers when that is read', () => {
      const { replica, state, join, ann, said, readOwn } = world();
      join('b', 1);
      for (const id of ['m1', 'm2']) replica.message(messageOf(id));
      expect([ann.got, state.unassigned.size]).to.eql([[], 0]);
      expect(said).to.eql([
        { kind: 'assign', assignments: [['m1', 'a', 1]] },
        { kind: 'assign', assignments: [['m2', 'b', 1]] },
      ]);
      readOwn();
      expect(ann.got).to.eql(['m1']);
      expect(state.open.get('m2')?.assignee?.gatewayId).to.equal('b');
      expect([...state.members].map(({ proposed }) => proposed)).to.eql([0, 0]);
      replica.acknowledge(['m1']);
      expect([said, state.open.size]).to.eql([[{ kind: 'done', ids: ['m1'] }], 2]);
      readOwn();
      expect([...state.open.keys()]).to.eql(['m2']);
    });

    it('says nothing where nobody is eligible', () => {
      const { replica, state, said } = world();
      state.join('b', [{ ...holding('ben'), filters: ['eu'] }]);
      state.restore(messageOf('m1', { publisher: 'ann' }));
      replica.assignMessages();
      expect([said, state.unassigned.size]).to.eql([[], 0]);
    });

    it('assigns nothing where another one leads, and delivers what that assigns to its members', () => {
      const { replica, state, join, ann, said, read } = world();
      join('b', 1);
      state.leave('a', [1]);
      state.join('a', [{ ...holding('ann'), number: 1 }]);
      expect(replica.isLeader).to.equal(false);
      for (const id of ['m1', 'm2']) replica.message(messageOf(id));
      expect([said, ann.got]).to.eql([[], []]);
      const assignments: [string, string, number][] = [
        ['m1', 'a', 1],
        ['m2', 'b', 1],
        ['m3', 'a', 1],
      ];
      expect(read({ kind: 'assign', assignments }, 'b')).to.equal('active');
      expect(ann.got).to.eql(['m1']);
      // The first assignment counts.
      read({ kind: 'assign', assignments: [['m2', 'a', 1]] }, 'b');
      expect(ann.got).to.eql(['m1']);
    });

    it('settles what it has proposed by its own records alone', () => {
      const { replica, state, join, read, readOwn } = world();
      join('b', 1);
      replica.message(messageOf('m1'));
      read({ kind: 'assign', assignments: [['m1', 'b', 1]] }, 'b');
      expect(state.members.get('a', 1)?.proposed).to.equal(1);
      readOwn();
      expect(state.members.get('a', 1)?.proposed).to.equal(0);
      expect(state.open.get('m1')?.assignee?.gatewayId).to.equal('b');
    });
  });

  describe('delivers', () => {
    it('to a member that is ready, and later what it was assigned before', () => {
      const { replica, state, ann, add, local } = world();
      const ben = add('ben');
      state.join('a', local.announce([ben]));
      ann.isReady = ben.isReady = false;
      for (const id of ['m1', 'm2']) replica.message(messageOf(id));
      ann.isReady = ben.isReady = true;
      replica.deliverTo(ann);
      expect([ann.got, ben.got]).to.eql([['m1'], []]);
      replica.deliverAll();
      replica.deliverTo(ann);
      expect([ann.got, ben.got]).to.eql([['m1'], ['m2']]);
      replica.deliverTo(add('unknown'));
    });

    it('nothing that is assigned elsewhere', () => {
      const { replica, state, join, ann } = world();
      join('b', 1);
      state.add(messageOf('m1'));
      state.add(messageOf('m2'));
      state.assign('m1', state.members.get('b', 1));
      replica.deliverAll();
      expect(ann.got).to.eql([]);
    });

    it('nothing to a member that has left', () => {
      const { replica, state, local, ann } = world();
      local.remove(ann, () => undefined);
      replica.message(messageOf('m1'));
      expect([ann.got, state.open.get('m1')?.isDelivered]).to.eql([[], false]);
    });

    it('nothing while the others may have removed its members', () => {
      const { replica, commands, ann, said } = world();
      commands.suspect();
      replica.message(messageOf('m1'));
      expect([ann.got, said]).to.eql([[], [{ kind: 'check' }]]);
      commands.read(1);
      replica.deliverAll();
      expect(ann.got).to.eql(['m1']);
    });
  });

  describe('applies', () => {
    it('acknowledgements, restored messages and checks', () => {
      const { state, read, told } = world({ messages: 2, bytes: 100 });
      const messages = ['m1', 'm2'].map((id) => messageOf(id, { publisher: 'ann' }));
      expect(read({ kind: 'messages', messages }, 'b')).to.equal('active');
      expect([...state.open.keys()]).to.eql(['m1', 'm2']);
      expect(read({ kind: 'done', ids: ['m1', 'm2'] }, 'b')).to.equal('active');
      expect([state.open.size, read({ kind: 'check' }, 'b'), told]).to.eql([0, 'active', []]);
    });

    it('[WS-GROUP-8] the bounds, and tells how many messages these cost', () => {
      const { replica, read, join, told } = world({ messages: 2, bytes: 100 });
      join('b', 1);
      for (const id of ['m1', 'm2']) replica.message(messageOf(id));
      expect(told).to.eql([]);
      replica.message(messageOf('m3'));
      read({ kind: 'messages', messages: ['m4', 'm5'].map((id) => messageOf(id)) }, 'b');
      expect(told).to.eql(['dropped 1', 'dropped 2']);
    });

    it('the last part of a snapshot: its reader has the state', () => {
      const { state, read, join } = world();
      join('b', 1);
      state.catchingUp.add('b');
      const part = { ...state.snapshot, kind: 'state', to: 'b', after: ['b', 1], parts: 2 } as const;
      read({ ...part, after: ['b', 1], part: 0 });
      expect([...state.catchingUp]).to.eql(['b']);
      expect(read({ ...part, after: ['b', 1], part: 1 })).to.equal('active');
      expect([...state.catchingUp]).to.eql([]);
    });
  });

  describe('with a backlog', () => {
    it('has the leader replay it, again and again until that is done, before it assigns anything', () => {
      const { replica, state, ann, told } = world();
      state.isBacklogPending = true;
      replica.message(messageOf('m1'));
      replica.assignMessages();
      expect([told, ann.got]).to.eql([['replay', 'replay'], []]);
      replica.backlogReplayed(true);
      expect([state.isBacklogPending, state.collectsWhenEmpty, ann.got]).to.eql([false, true, ['m1']]);
      replica.assignMessages();
      expect(told).to.have.length(2);
    });

    it('tells the others when it is replayed, and replays no more', () => {
      const { replica, state, join, told, said, readOwn } = world();
      join('b', 1);
      state.isBacklogPending = true;
      replica.backlogReplayed(true);
      expect([said, state.isBacklogPending]).to.eql([[{ kind: 'woken', collects: true }], true]);
      replica.assignMessages();
      expect(told).to.eql([]);
      readOwn();
      expect([state.isBacklogPending, state.collectsWhenEmpty]).to.eql([false, true]);
      replica.backlogReplayed(true);
      expect(said).to.eql([]);
    });

    it('leaves it to the leader', () => {
      const { replica, state, join, told } = world();
      join('b', 1);
      state.catchingUp.add('a');
      state.isBacklogPending = true;
      replica.assignMessages();
      expect(told).to.eql([]);
    });

    it('has what was replayed assigned to whom it was delivered', () => {
      const { replica, state, ann, said } = world();
      replica.replayed(messageOf('m1'), ann);
      expect(state.open.get('m1')).to.deep.include({ isDelivered: true });
      expect([...(state.members.get('a', 1)?.open ?? []), said]).to.eql(['m1', []]);
      replica.deliverAll();
      expect(ann.got).to.eql([]);
    });

    it('does not deliver again what was replayed, when its assignment is read', () => {
      const { replica, state, join, ann, said, readOwn } = world();
      join('b', 1);
      replica.replayed(messageOf('m1'), ann);
      expect([state.open.size, said]).to.eql([
        0,
        [
          { kind: 'messages', messages: [messageOf('m1')] },
          { kind: 'assign', assignments: [['m1', 'a', 1]] },
        ],
      ]);
      readOwn();
      expect(state.open.get('m1')).to.deep.include({ isDelivered: true });
      expect(ann.got).to.eql([]);
    });
  });

  describe('reads that members join', () => {
    it('and lets its own ones enter', () => {
      const { read, add, local, state, said } = world();
      const ben = add('ben');
      const members = local.announce([ben]);
      expect(read({ kind: 'join', members, needs: 'nothing' })).to.equal('active');
      expect([ben.entries, state.members.size, said]).to.eql([1, 2, []]);
      expect(state.catchingUp.size).to.equal(0);
    });

    it('and takes back one that has another number now, unless it is leaving', () => {
      const { read, add, local, said } = world();
      const ben = add('ben');
      local.remove(ben, () => undefined);
      read({ kind: 'join', members: [{ ...holding('ben'), number: 2 }], needs: 'nothing' });
      expect(said).to.eql([]);
      read({ kind: 'join', members: [holding('old')], needs: 'nothing' });
      expect(said).to.eql([{ kind: 'leave', members: [9], quit: true }]);
    });

    it('and sends the state to a gateway that needs it, where it leads', () => {
      const { read, state, said, replica } = world();
      replica.message(messageOf('m1'));
      read({ kind: 'join', members: [holding('ben')], needs: 'state' }, 'b');
      expect([...state.catchingUp]).to.eql(['b']);
      expect(said).to.have.length(1);
      expect(said[0]).to.deep.include({ kind: 'state', to: 'b', after: ['b', 100], part: 0, parts: 1 });
      expect(said[0]).to.have.property('held').with.length(1);
      // Another one leads: it will be that one's.
      state.leave('a', [1]);
      said.splice(0);
      read({ kind: 'join', members: [holding('cid')], needs: 'state' }, 'c');
      expect([[...state.catchingUp], said]).to.eql([['b', 'c'], []]);
    });

    it('and keeps its state from one that needs nothing', () => {
      const { read, state, said } = world();
      read({ kind: 'join', members: [holding('ben')], needs: 'nothing' }, 'b');
      expect([state.members.size, state.catchingUp.size, said]).to.eql([2, 0, []]);
    });

    it('and gives way to one that has bootstrapped the group, unless it is about to do so itself', () => {
      const { read, state, doubts } = world();
      const command: GroupCommand = { kind: 'join', members: [holding('ben')], needs: 'founds' };
      expect(read(command, 'b')).to.equal('superseded');
      doubts.isBootstrapping = true;
      expect(read(command, 'b')).to.equal('active');
      expect(state.members.size).to.equal(1);
      expect(read(command)).to.equal('active');
      expect(state.members.size).to.equal(2);
    });
  });

  describe('reads that members have left', () => {
    it('and is removed with its own last one', () => {
      const { read, join, told } = world();
      join('a', 2);
      join('b', 1);
      expect(read({ kind: 'leave', members: [2], quit: true })).to.equal('active');
      expect(read({ kind: 'leave', members: [1], quit: true })).to.equal('removed');
      expect(told).to.eql([]);
      expect(read({ kind: 'leave', members: [1], quit: true }, 'b')).to.equal('removed');
      expect(told).to.eql(['emptied']);
    });

    it('[WS-GROUP-9] and collects for those that have not quit', () => {
      for (const quit of [false, true]) {
        const { read, state } = world();
        state.join('b', [{ ...holding('ben'), isPersistent: true }]);
        read({ kind: 'leave', members: [9], quit }, 'b');
        expect(state.collectsWhenEmpty).to.equal(!quit);
      }
    });

    it('[WS-GROUP-9] and collects no more when the last one has quit that may come back', () => {
      const { read, join, state, told } = world();
      join('a', 1);
      state.join(
        'b',
        [8, 9].map((number) => ({ ...holding('ben'), number, isPersistent: true })),
      );
      for (const number of [8, 9]) {
        expect(told).to.eql([]);
        read({ kind: 'leave', members: [number], quit: true }, 'b');
      }
      read({ kind: 'leave', members: [1], quit: true }, 'a');
      expect(told).to.eql(['collectsNoMore', 'emptied']);
    });

    it('and is declared dead, by a gateway that has members', () => {
      const { read, join, state } = world();
      join('a', 2);
      expect(read({ kind: 'gone', gone: 'a', upTo: 2 }, 'b')).to.equal('active');
      expect(state.members.size).to.equal(2);
      join('b', 1);
      expect(read({ kind: 'gone', gone: 'a', upTo: 1 }, 'b')).to.equal('declared dead');
      expect([...state.members].map(({ gatewayId, number }) => `${gatewayId}${number}`)).to.eql(['a2', 'b1']);
    });

    it('and is not concerned by the death of another one', () => {
      const { read, join, state } = world();
      join('b', 1);
      expect(read({ kind: 'gone', gone: 'b', upTo: 1 })).to.equal('active');
      expect(state.members.size).to.equal(1);
    });

    it('and sends the state to those that wait for it, once it leads', () => {
      const { read, state, join, said } = world();
      state.leave('a', [1]);
      join('b', 1);
      join('a', 1);
      join('c', 1);
      state.catchingUp.add('c');
      read({ kind: 'leave', members: [1], quit: true }, 'b');
      expect(said).to.have.length(1);
      expect(said[0]).to.deep.include({ kind: 'state', to: 'c', after: ['b', 100] });
      said.splice(0);
      join('b', 2);
      read({ kind: 'leave', members: [2], quit: true }, 'b');
      expect(said).to.eql([]);
    });
  });

  it('declares a gateway dead with all the members that are known of it', () => {
    const { replica, join, said } = world();
    join('b', 3, 7, 5);
    replica.lost('b');
    replica.lost('c');
    expect(said).to.eql([{ kind: 'gone', gone: 'b', upTo: 7 }]);
  });

  it('[WS-GROUP-11] drops the oldest messages on all gateways, in as many commands as they need', () => {
    const { replica, state, join, said } = world({ messages: 2_000, bytes: 10_000 });
    join('b', 1);
    for (let n = 0; n < 1_500; n++) state.restore(messageOf(`m${n}`));
    expect(replica.drop(1_200 * messageMemory(messageOf('m')))).to.equal(1_200);
    expect(said.map((command) => command.kind === 'done' && command.ids.length)).to.eql([1_000, 200]);
    expect(replica.drop(0)).to.equal(0);
    expect(said).to.have.length(2);
  });
});
