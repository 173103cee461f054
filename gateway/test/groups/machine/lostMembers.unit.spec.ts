import { expect } from 'chai';
import type { GroupCommand } from '@roomwire/shared/wire/bus/groupRecord';
import { messageMemory } from '../../../src/groups/machine/messageMemory.js';
import { messageOf } from '../../support/groupNode.js';
import { other, partOf, stateOfB, twoGateways as two } from '../../support/machineWorld.js';

const foundsWith = (number: number): GroupCommand => ({
  kind: 'join',
  members: [other(number)],
  needs: 'founds',
});

/** The messages of each command that hands some over. */
const handedOver = (said: readonly { readonly command: GroupCommand }[]): readonly (readonly string[])[] =>
  said.flatMap(({ command }) => (command.kind === 'messages' ? [command.messages.map(({ id }) => id)] : []));

describe('a gateway whose members the group has lost', () => {
  it('joins again with all its members where some were declared dead; the others have what it has', () => {
    const { machine, ann, join, read, readOwn, said } = two();
    const ben = join('ben');
    readOwn();
    machine.message(messageOf('m1'));
    said.splice(0);
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    expect([machine.phaseName, ann.number, ben.number]).to.eql(['joining', 7, 8]);
    expect(said.map(({ command }) => command)).to.eql([
      { kind: 'leave', members: [6], quit: true },
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
    expect([machine.phaseName, machine.memoryBytes]).to.eql([
      'catchingUp',
      3 * messageMemory(messageOf('m1')),
    ]);
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

  it('hands over what it has to one that has bootstrapped the group without it, and asks it for the state', () => {
    const { machine, ann, read, said } = two();
    machine.message(messageOf('m1'));
    said.splice(0);
    read('b', { kind: 'join', members: [other(2)], needs: 'founds' });
    expect([machine.phaseName, ann.number]).to.eql(['joining', 6]);
    expect(machine.memoryBytes).to.equal(messageMemory(messageOf('m1')));
    expect(said.map(({ command }) => command)).to.eql([
      { kind: 'leave', members: [5], quit: true },
      { kind: 'messages', messages: [messageOf('m1')] },
      { kind: 'join', members: [other(6, 'ann')], needs: 'state' },
    ]);
  });

  it('[WS-GROUP-4] hands over again what it has where the group is bootstrapped once more before it has the state', () => {
    const { machine, ann, read, readNext, readOwn, said, kinds } = two();
    machine.message(messageOf('m1'));
    read('b', foundsWith(2));
    // What b had it loses with its last member: nobody has what is handed over now.
    read('b', { kind: 'leave', members: [2], quit: true });
    readOwn();
    machine.message(messageOf('m2'));
    expect([machine.phaseName, ann.number]).to.eql(['catchingUp', 6]);
    read('b', foundsWith(3));
    expect([machine.phaseName, kinds()]).to.eql(['joining', ['join state']]);
    const ref = said[0]?.ref ?? 0;
    readNext();
    expect(handedOver(said)).to.eql([['m1', 'm2']]);
    readOwn();
    read('b', partOf(stateOfB(6), 'a', ['a', ref]));
    expect([machine.phaseName, kinds()]).to.eql(['active', []]);
  });

  it('[WS-GROUP-4] hands over what the others had, where another one bootstraps the group without it', () => {
    const { machine, read, readNext, readOwn, said } = two();
    machine.message(messageOf('m1'));
    readOwn();
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    // The member 1 of b may have both.
    machine.message(messageOf('m2'));
    machine.message(messageOf('m3'));
    read('b', { kind: 'done', ids: ['m3'] });
    read('c', foundsWith(1));
    readNext();
    expect(handedOver(said)).to.eql([['m1', 'm2']]);
  });

  it('[WS-GROUP-4] has all of that where it bootstraps the group itself, because nobody is left', () => {
    const { machine, ann, read, readOwn } = two();
    machine.message(messageOf('m1'));
    read('b', { kind: 'gone', gone: 'a', upTo: 5 });
    machine.message(messageOf('m2'));
    machine.message(messageOf('m3', { publisher: 'other-1' }));
    readOwn();
    machine.message(messageOf('m4'));
    expect([machine.phaseName, ann.got]).to.eql(['catchingUp', []]);
    machine.acknowledge(['m1']);
    machine.participantsChanged([]);
    readOwn();
    expect([machine.phaseName, machine.isLeader, ann.got]).to.eql(['active', true, ['m2', 'm3', 'm4']]);
  });
});
