import { expect } from 'chai';
import type { GroupCommand } from '@roomwire/shared/wire/bus/groupRecord';
import { Absence, type AbsenceContext } from '../../../src/groups/machine/absence.js';
import { LocalMembers, type LocalMember } from '../../../src/groups/machine/localMembers.js';
import { GroupMembers } from '../../../src/groups/machine/members.js';
import { messageMemory } from '../../../src/groups/machine/messageMemory.js';
import { SeenMessages } from '../../../src/groups/machine/groupState.js';
import { messageOf, room, topic } from '../../support/groupNode.js';

const bounds = { messages: 3, bytes: 10_000 };
const member = (number: number, actorTokenId: string, filters?: readonly string[]) => ({
  ...{ number, actorTokenId, filters, acks: true, isPersistent: false, own: undefined },
});

/** Gateway `a` with a member of ann, which the group has lost, and the member 1 of ben on gateway `b`, which it has. */
const world = (filters?: readonly string[]) => {
  const local = new LocalMembers(0);
  const ann: LocalMember = {
    ...member(0, 'ann', filters),
    entered: () => undefined,
    deliver: () => true,
  };
  local.add(ann);
  local.enter({ ...ann, number: 1 });
  const others = new GroupMembers();
  others.join('b', member(1, 'ben'));
  const dropped: number[] = [];
  const context: AbsenceContext = { bounds, local, dropped: (messages) => void dropped.push(messages) };
  const absence = new Absence(context, others);
  const read = (gatewayId: string, command: GroupCommand): void =>
    absence.add({ ...command, room, topic, group: 'g', gatewayId, ref: 1 });
  let published = 0;
  /** Whether a message of this publisher, with this filter, is kept. */
  const keeps = (publisher: string, ...values: readonly string[]): boolean => {
    const id = `m${(published += 1)}`;
    absence.add(messageOf(id, { publisher, filters: values }));
    return absence.missed.some((message) => message.id === id);
  };
  const missed = (): readonly string[] => absence.missed.map(({ id }) => id);
  return { absence, local, ann, read, keeps, missed, dropped };
};

const nobody = (): void => undefined;

describe('what a worker group ignores while it has lost members of a gateway', () => {
  it('[WS-GROUP-4] is what a member here is eligible for, and nobody in the group', () => {
    const { keeps } = world();
    expect([keeps('eve'), keeps('ann'), keeps('ben')]).to.eql([false, false, true]);
  });

  it('is nothing that no member here is eligible for', () => {
    const { keeps, read } = world(['eu']);
    read('b', { kind: 'leave', members: [1], quit: true });
    expect([keeps('ben', 'eu'), keeps('ben', 'us'), keeps('ann', 'eu')]).to.eql([true, false, false]);
  });

  it('is nothing for members that are not in force, or have left', () => {
    const { local, ann, keeps } = world();
    local.remove(ann, nobody);
    expect(keeps('ben')).to.equal(false);
    local.add(ann);
    expect(keeps('ben')).to.equal(false);
    local.enter(ann);
    expect(keeps('ben')).to.equal(true);
  });

  it('is nothing that a member is eligible for who has joined the group since', () => {
    const { keeps, read } = world();
    read('c', { kind: 'join', members: [member(1, 'cid'), member(2, 'dan')], needs: 'state' });
    expect([keeps('ben'), keeps('cid')]).to.eql([false, false]);
    read('c', { kind: 'leave', members: [1], quit: true });
    expect(keeps('ben')).to.equal(false);
    read('c', { kind: 'leave', members: [2, 3], quit: true });
    expect(keeps('ben')).to.equal(true);
  });

  it('follows the filters of members', () => {
    const { keeps, read } = world();
    read('b', { kind: 'join', members: [member(1, 'ben', ['eu'])], needs: 'nothing' });
    expect([keeps('eve', 'eu'), keeps('eve', 'us')]).to.eql([false, true]);
  });

  it('begins anew with a bootstrap, whose members alone the group has', () => {
    const { keeps, read } = world();
    read('c', { kind: 'join', members: [member(1, 'cid')], needs: 'founds' });
    expect([keeps('eve'), keeps('cid')]).to.eql([false, true]);
  });

  it('[WS-GROUP-4] follows gateways that are declared dead, up to the number of a member', () => {
    const { keeps, read } = world();
    read('c', { kind: 'join', members: [member(3, 'cid'), member(4, 'dan')], needs: 'state' });
    read('b', { kind: 'gone', gone: 'c', upTo: 2 });
    read('b', { kind: 'leave', members: [1], quit: true });
    expect(keeps('eve')).to.equal(false);
    // Without a member `b` cannot declare anybody dead.
    read('b', { kind: 'gone', gone: 'c', upTo: 4 });
    expect(keeps('eve')).to.equal(false);
    read('b', { kind: 'join', members: [member(2, 'ben')], needs: 'state' });
    read('b', { kind: 'gone', gone: 'c', upTo: 3 });
    expect([keeps('ben'), keeps('dan')]).to.eql([false, false]);
    read('b', { kind: 'gone', gone: 'c', upTo: 4 });
    expect([keeps('ben'), keeps('eve')]).to.eql([true, false]);
  });

  it('is not what another gateway has handed over, before the message is read or after it', () => {
    const { absence, read, keeps } = world();
    const own = (id: string) => messageOf(id, { publisher: 'ben' });
    for (const id of ['k1', 'k2']) absence.add(own(id));
    read('c', { kind: 'messages', messages: [own('k1'), own('k3')] });
    absence.add(own('k3'));
    expect(absence.missed).to.eql([own('k2')]);
    expect(keeps('ben')).to.equal(true);
  });

  it('[WS-GROUP-8] has the bounds of a group', () => {
    const { absence, missed, dropped } = world();
    for (const id of ['k1', 'k2', 'k3', 'k4']) absence.add(messageOf(id, { publisher: 'ben' }));
    expect([missed(), dropped]).to.eql([['k2', 'k3', 'k4'], [1]]);
  });

  it('is not changed by other commands', () => {
    const { read, keeps, missed } = world();
    read('b', { kind: 'check' });
    read('b', { kind: 'assign', assignments: [['m1', 'b', 1]] });
    read('b', { kind: 'woken', collects: true });
    expect(missed()).to.eql([]);
    expect([keeps('eve'), keeps('ben')]).to.eql([false, true]);
  });

  it('is nothing that the group had seen before', () => {
    const { local } = world();
    const seen = new SeenMessages(0, ['k1']);
    const absence = new Absence({ bounds, local, dropped: nobody }, new GroupMembers(), seen);
    for (const id of ['k1', 'k2', 'k2']) absence.add(messageOf(id));
    expect(absence.missed).to.eql([messageOf('k2')]);
  });
});

const founds: GroupCommand = { kind: 'join', members: [member(1, 'cid')], needs: 'founds' };

describe('what a worker group has for members of a gateway that it has lost', () => {
  it('[WS-GROUP-4] is missed where the group is bootstrapped once more', () => {
    const { absence, read, missed } = world();
    absence.has([messageOf('k1', { publisher: 'ann' })]);
    absence.add(messageOf('k2'));
    absence.add(messageOf('k3', { publisher: 'ben' }));
    read('d', { kind: 'messages', messages: [messageOf('k4')] });
    expect(missed()).to.eql(['k3']);
    read('c', founds);
    // The bounds leave room for three.
    expect(missed()).to.eql(['k2', 'k4', 'k3']);
  });

  it('[WS-GROUP-4] is missed where that happens after the gateway has joined, too', () => {
    const { absence, read, missed } = world();
    absence.has([messageOf('k1')]);
    absence.joined();
    absence.add(messageOf('k2'));
    expect([absence.isCatchingUp, missed()]).to.eql([true, []]);
    read('c', founds);
    absence.restart();
    expect([absence.isCatchingUp, missed()]).to.eql([false, ['k1', 'k2']]);
    // It is the group's as soon as it is handed over, and is missed again with the next bootstrap.
    read('a', { kind: 'messages', messages: [messageOf('k1'), messageOf('k2')] });
    expect(missed()).to.eql([]);
    read('d', founds);
    expect(missed()).to.eql(['k1', 'k2']);
  });

  it('is not what has been acknowledged', () => {
    const { absence, read, missed } = world();
    absence.has([messageOf('k1'), messageOf('k2')]);
    absence.add(messageOf('k3', { publisher: 'ben' }));
    read('b', { kind: 'done', ids: ['k1', 'k3', 'k9'] });
    absence.joined();
    read('b', { kind: 'done', ids: ['k2'] });
    read('c', founds);
    absence.restart();
    expect([missed(), absence.messages]).to.eql([[], []]);
  });

  it('is nothing for members that have left, unless it was missed', () => {
    const { absence, local, ann, read, missed } = world();
    absence.add(messageOf('k1', { publisher: 'ben' }));
    local.remove(ann, nobody);
    const messages = ['k1', 'k2'].map((id) => messageOf(id, { publisher: 'ben' }));
    read('c', { kind: 'messages', messages });
    absence.add(messageOf('k3'));
    read('c', founds);
    expect(missed()).to.eql(['k1']);
  });

  it('is what a group begins with that the gateway bootstraps, with what was missed', () => {
    const { absence } = world();
    absence.has([messageOf('k1')]);
    const missed = messageOf('k2', { publisher: 'ben' });
    absence.add(missed);
    expect(absence.messages).to.eql([messageOf('k1'), missed]);
    expect(absence.since).to.eql([]);
  });

  it('[WS-GROUP-8] has the bounds of a group of its own, and is not lost beyond them', () => {
    const { absence, read, missed, dropped } = world();
    absence.add(messageOf('k0', { publisher: 'ben' }));
    for (const id of ['k1', 'k2', 'k3', 'k4']) absence.add(messageOf(id));
    expect([missed(), absence.messages.length, dropped]).to.eql([['k0'], 4, []]);
    read('c', founds);
    expect([missed(), dropped]).to.eql([['k3', 'k4', 'k0'], [1]]);
  });

  it('[WS-GROUP-11] is dropped first where memory is short, without telling the group', () => {
    const size = messageMemory(messageOf('k0'));
    const filled = () => {
      const { absence } = world();
      absence.add(messageOf('k0'));
      absence.add(messageOf('k1', { publisher: 'ben' }));
      absence.joined();
      absence.add(messageOf('k2'));
      return absence;
    };
    for (const [bytes, dropped] of [
      [0, []],
      [size, []],
      [size + 1, ['k1']],
      [2 * size, ['k1']],
      [9 * size, ['k1', 'k2']],
    ] as const) {
      const absence = filled();
      expect(absence.memoryBytes).to.equal(3 * size);
      expect(absence.drop(bytes)).to.eql(dropped);
      expect(absence.memoryBytes).to.equal(Math.max(0, 3 * size - Math.ceil(bytes / size) * size));
    }
  });
});
