import { expect } from 'chai';
import type { GroupCommand } from '@roomwire/shared/wire/bus/groupRecord';
import { Absence } from '../../../src/groups/machine/absence.js';
import { LocalMembers, type LocalMember } from '../../../src/groups/machine/localMembers.js';
import { GroupMembers } from '../../../src/groups/machine/members.js';
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
  local.enter(1);
  const others = new GroupMembers();
  others.join('b', member(1, 'ben'));
  const absence = new Absence(bounds, local, others);
  const read = (gatewayId: string, command: GroupCommand): void =>
    absence.add({ ...command, room, topic, group: 'g', gatewayId, ref: 1 });
  let published = 0;
  /** Whether a message of this publisher, with this filter, is kept. */
  const keeps = (publisher: string, ...values: readonly string[]): boolean => {
    const id = `m${(published += 1)}`;
    absence.add(messageOf(id, { publisher, filters: values }));
    return absence.messages.some((message) => message.id === id);
  };
  return { absence, local, ann, read, keeps };
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
    local.enter(ann.number);
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
    expect(absence.messages).to.eql([own('k2')]);
    expect(keeps('ben')).to.equal(true);
  });

  it('[WS-GROUP-8] has the bounds of a group', () => {
    const { absence } = world();
    for (const id of ['k1', 'k2', 'k3', 'k4']) absence.add(messageOf(id, { publisher: 'ben' }));
    expect(absence.messages.map(({ id }) => id)).to.eql(['k2', 'k3', 'k4']);
    expect(absence.missed.dropped).to.equal(1);
  });

  it('is not changed by other commands', () => {
    const { absence, read, keeps } = world();
    read('b', { kind: 'check' });
    read('b', { kind: 'done', ids: ['m1'] });
    read('b', { kind: 'assign', assignments: [['m1', 'b', 1]] });
    read('b', { kind: 'woken', collects: true });
    expect(absence.missed.records).to.eql([]);
    expect([keeps('eve'), keeps('ben')]).to.eql([false, true]);
  });
});
