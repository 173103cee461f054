import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { Membership, type MemberGroup } from '../../src/groups/membership.js';

describe('the membership in a worker group while the bus is away', () => {
  let said: string[];
  /** What the group does once the bus has what a member asks of it. */
  let inForce: (member: Membership) => void;

  const group: MemberGroup = {
    knowsOwn: true,
    opened: Promise.resolve(),
    retain: () => undefined,
    release: () => undefined,
    join: (member) => (said.push('join'), inForce(member)),
    update: (member) => (said.push('update'), inForce(member)),
    leave: () => void said.push('leave'),
    ready: () => void said.push('ready'),
    acknowledge: () => undefined,
  };

  const membership = (): Membership =>
    new Membership(
      {
        ...{
          room: 'p/app/_/room',
          topic: 'p/app/_/room/work',
          group: 'g',
          actorTokenId: 'agent',
          place: 'here',
        },
        ...{ filters: undefined, own: false, connection: 'gateway.1', acks: true, isPersistent: true },
        replay: {
          limit: () => undefined,
          begin: () => undefined,
          give: () => undefined,
          end: () => undefined,
          waitForCapacity: async () => undefined,
        },
        entered: () => undefined,
        deliver: () => undefined,
        isReachable: () => true,
      },
      group,
      1,
    );

  const failureOf = (asked: Promise<void>): Promise<unknown> =>
    asked.then(
      () => undefined,
      (error: unknown) => error,
    );

  beforeEach(() => {
    said = [];
    inForce = (member) => member.entered(member);
  });

  it('[WS-SUB-2] goes on where other filters are in force too late, and takes others', async () => {
    const member = membership();
    await member.join();
    inForce = () => undefined;
    expect(await failureOf(member.change({ filters: ['a'], own: false }))).to.be.instanceOf(
      EngineUnavailable,
    );
    inForce = (again) => again.entered(again);
    await member.change({ filters: ['b'], own: false });
    expect([said, member.filters]).to.deep.equal([['join', 'update', 'update'], ['b']]);
  });

  it('[WS-SUB-2] is not changed by what an earlier change has asked for, and comes late', async () => {
    const member = membership();
    await member.join();
    inForce = () => undefined;
    const earlier = { filters: ['a'], own: false };
    await failureOf(member.change(earlier));
    inForce = (again) => {
      again.entered({ ...earlier, own: undefined });
      said.push('late');
    };
    const later = { filters: ['b'], own: false };
    expect(await failureOf(member.change(later))).to.be.instanceOf(EngineUnavailable);
    inForce = (again) => again.entered({ ...later, own: undefined });
    await member.change(later);
    expect(said).to.deep.equal(['join', 'update', 'update', 'late', 'update']);
  });

  it('[WS-GROUP-4] ends where the join is in force too late', async () => {
    inForce = () => undefined;
    expect(await failureOf(membership().join())).to.be.instanceOf(EngineUnavailable);
    expect(said).to.deep.equal(['join', 'leave']);
  });
});
