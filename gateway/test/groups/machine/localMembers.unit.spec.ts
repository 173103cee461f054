import { expect } from 'chai';
import type { GroupCommand } from '@roomwire/shared/wire/bus/groupRecord';
import { LocalMembers, OwnCommands, type LocalMember } from '../../../src/groups/machine/localMembers.js';

const member = (actorTokenId: string): LocalMember => ({
  ...{ number: 0, actorTokenId, filters: ['eu'], acks: true, isPersistent: false },
  entered: () => undefined,
  deliver: () => true,
});

const nobody = (): void => undefined;

describe('the members of a worker group on one gateway', () => {
  it('get numbers that were never used', () => {
    const local = new LocalMembers(7);
    const [ann, ben] = [member('ann'), member('ben')];
    expect([local.isEmpty, local.highestNumber]).to.eql([true, 7]);
    local.add(ann);
    local.add(ben);
    expect([ann.number, ben.number, local.highestNumber]).to.eql([8, 9, 9]);
    expect([local.isEmpty, local.all]).to.eql([false, [ann, ben]]);
    expect([local.get(8), local.get(7), local.has(ann), local.has(member('eve'))]).to.eql([
      ...[ann, undefined, true, false],
    ]);
  });

  it('leave once, and are leaving until that is read', () => {
    const local = new LocalMembers(0);
    const ann = member('ann');
    local.add(ann);
    let left = 0;
    expect(local.isLeaving(1)).to.equal(false);
    expect(local.remove(ann, () => void (left += 1))).to.equal(true);
    expect(local.remove(ann, () => void (left += 1))).to.equal(false);
    expect([local.isLeaving(1), local.isEmpty, local.has(ann), left]).to.eql([true, true, false, 0]);
    local.hasLeft(2);
    expect(left).to.equal(0);
    local.hasLeft(1);
    local.hasLeft(1);
    expect([local.isLeaving(1), left]).to.eql([false, 1]);
  });

  it('do not take the place of one with the same number', () => {
    const local = new LocalMembers(0);
    local.add(member('ann'));
    const impostor = { ...member('eve'), number: 1 };
    expect(local.remove(impostor, nobody)).to.equal(false);
    expect(local.isEmpty).to.equal(false);
  });

  it('are announced with what the others know of them', () => {
    const local = new LocalMembers(0);
    const [ann, ben] = [member('ann'), { ...member('ben'), acks: false, isPersistent: true, own: 'a.1' }];
    local.add(ann);
    local.add(ben);
    expect(local.areAnnounced).to.equal(false);
    expect(local.announce([ben])).to.eql([
      { number: 2, actorTokenId: 'ben', filters: ['eu'], acks: false, isPersistent: true, own: 'a.1' },
    ]);
    expect(local.areAnnounced).to.equal(true);
    local.remove(ann, nobody);
    expect(local.areAnnounced).to.equal(true);
    local.remove(ben, nobody);
    expect(local.areAnnounced).to.equal(false);
  });

  it('get new numbers where the others have removed them, up to a number', () => {
    const local = new LocalMembers(0);
    const [ann, ben, cid] = [member('ann'), member('ben'), member('cid')];
    for (const each of [ann, ben, cid]) local.add(each);
    local.announce([ann, ben]);
    expect(local.renumber(2)).to.eql([ann, ben]);
    expect([ann.number, ben.number, cid.number, local.highestNumber]).to.eql([4, 5, 3, 5]);
    expect([local.get(1), local.get(2), local.get(4)]).to.eql([undefined, undefined, ann]);
    // They are to be announced again.
    expect(local.areAnnounced).to.equal(false);
  });
});

describe('the members that are in force for their clients', () => {
  it('have been told so, and have not left', () => {
    const local = new LocalMembers(0);
    let entries = 0;
    const [ann, ben] = [{ ...member('ann'), entered: () => void (entries += 1) }, member('ben')];
    local.add(ann);
    local.add(ben);
    const enter = (number: number): boolean => local.enter({ ...ann, number });
    expect([local.inForce, enter(3)]).to.eql([[], false]);
    expect([enter(1), entries, local.inForce]).to.eql([true, 1, [ann]]);
    // Also while the group has lost it.
    local.renumber(1);
    expect([enter(1), local.inForce]).to.eql([false, [ann]]);
    expect([enter(3), entries, local.inForce]).to.eql([true, 2, [ann]]);
    local.remove(ann, nobody);
    expect([enter(3), local.inForce]).to.eql([false, []]);
  });
});

describe('the commands of a gateway', () => {
  const world = () => {
    const appended: (readonly [GroupCommand['kind'], number])[] = [];
    const commands = new OwnCommands(({ kind }, ref) => void appended.push([kind, ref]));
    return { appended, commands };
  };
  const done: GroupCommand = { kind: 'done', ids: [] };

  it('are numbered, and read when the last one is', () => {
    const { appended, commands } = world();
    expect(commands.areRead).to.equal(true);
    expect([commands.add(done), commands.add({ kind: 'check' })]).to.eql([1, 2]);
    expect(appended).to.eql([
      ['done', 1],
      ['check', 2],
    ]);
    commands.read(1);
    expect(commands.areRead).to.equal(false);
    expect([commands.hasRead(1), commands.hasRead(2)]).to.eql([true, false]);
    commands.read(2);
    // Out of order, as after a second delivery.
    commands.read(1);
    expect(commands.areRead).to.equal(true);
  });

  it('are in force, unless the process may have paused: then one of its own has to come back', () => {
    const { appended, commands } = world();
    expect(commands.areInForce()).to.equal(true);
    commands.add(done);
    commands.suspect();
    expect([commands.areInForce(), commands.areInForce()]).to.eql([false, false]);
    expect(appended).to.eql([
      ['done', 1],
      ['check', 2],
    ]);
    expect(commands.read(1)).to.equal(false);
    expect(commands.areInForce()).to.equal(false);
    expect(commands.read(2)).to.equal(true);
    expect(commands.areInForce()).to.equal(true);
    expect(appended).to.have.length(2);
  });

  it('need no check that was not asked for', () => {
    const { commands } = world();
    commands.add(done);
    expect(commands.read(1)).to.equal(false);
  });

  it('need another check for another pause', () => {
    const { appended, commands } = world();
    commands.suspect();
    commands.areInForce();
    commands.suspect();
    expect(commands.areInForce()).to.equal(false);
    expect(commands.read(1)).to.equal(false);
    expect(commands.read(2)).to.equal(true);
    expect(appended.map(([kind]) => kind)).to.eql(['check', 'check']);
  });

  it('are checked by a later one too', () => {
    const { commands } = world();
    commands.suspect();
    commands.areInForce();
    expect(commands.read(5)).to.equal(true);
    expect(commands.areInForce()).to.equal(true);
  });
});
