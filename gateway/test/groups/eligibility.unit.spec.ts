import { expect } from 'chai';
import { isEligible } from '../../src/groups/machine/members.js';
import { messageOf } from '../support/groupNode.js';

describe('[WS-GROUP-3] a member of a worker group', () => {
  const message = messageOf('mi8k2x0a10003.gateway.1~order-7', { publisher: 'ann', filters: ['a'] });
  const isFor = (member: Parameters<ReturnType<typeof isEligible>>[0]): boolean =>
    isEligible(message)(member);

  it('gets what others have published', () => {
    expect(isFor({ actorTokenId: 'bob' })).to.equal(true);
    expect(isFor({ actorTokenId: 'ann' })).to.equal(false);
  });

  it('[WS-OWN-1] that asks for its own gets what another connection of its actor has published', () => {
    expect(isFor({ actorTokenId: 'ann', own: 'gateway.2' })).to.equal(true);
    expect(isFor({ actorTokenId: 'ann', own: 'gateway.1' })).to.equal(false);
  });

  it('gets what its filters match', () => {
    expect(isFor({ actorTokenId: 'bob', filters: ['a'] })).to.equal(true);
    expect(isFor({ actorTokenId: 'bob', filters: ['b'] })).to.equal(false);
    expect(isFor({ actorTokenId: 'ann', own: 'gateway.2', filters: ['b'] })).to.equal(false);
  });
});
