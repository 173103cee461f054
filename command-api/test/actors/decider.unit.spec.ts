import { expect } from 'chai';
import type { ActorEvent, ActorFields } from '@roomwire/shared/domain/actor';
import { actorDecider, type ActorCommand } from '../../src/actors/decider.js';
import { sentences, testTime } from '../support/deciders.js';

const given = sentences(actorDecider);

const fields: ActorFields = {
  actorTokenId: 'x1',
  projectId: 'p1',
  accessScopeId: null,
  scopeMembershipId: null,
  keyId: 'at_live_1',
  name: 'Ada',
  actorType: 'user',
  expiresAt: null,
  metadata: { team: 'a' },
  secretHash: '00',
};
const created: ActorEvent = { type: 'ActorCreated', data: fields };
const deleted: ActorEvent = { type: 'ActorDeleted', data: { actorTokenId: 'x1' } };
const update = (changes: object, projectId = 'p1'): ActorCommand => ({
  type: 'UpdateActor',
  actorTokenId: 'x1',
  projectId,
  changes,
});
const remove = (projectId = 'p1'): ActorCommand => ({ type: 'DeleteActor', actorTokenId: 'x1', projectId });

const membership = (accessScopeId: string | null, scopeMembershipId: string | null) => ({
  accessScopeId,
  scopeMembershipId,
});
const leftAfter = (...past: readonly ActorEvent[]) =>
  past.reduce(
    (state, event) => actorDecider.evolve(state, { ...event, occurredAt: testTime }),
    actorDecider.initial(),
  ).left;

describe('an actor', () => {
  it('is created once', () => {
    given().when({ type: 'CreateActor', actor: fields }).then(created);
    given(created).when({ type: 'CreateActor', actor: fields }).thenNothing();
  });

  it('[HTTP-REVOKE-1] has its tokens revoked while it exists, as often as one likes', () => {
    const revoke = (projectId = 'p1') => {
      const revocation = {
        revocationId: 'r',
        projectId,
        subject: 'x1',
        actorTokenId: 'x1',
        before: testTime,
      };
      return { type: 'RevokeActorTokens', revocation } as const;
    };
    const revoked = { type: 'TokensRevoked', data: revoke().revocation } as const;
    given(created).when(revoke()).then(revoked);
    given(created, revoked).when(revoke()).then(revoked);
    given(created, revoked).when(remove()).then(deleted);
    given(created, revoked)
      .when(update({ name: 'Ada' }))
      .thenNothing();
    for (const [past, command] of [
      [[], revoke()],
      [[created, deleted], revoke()],
      [[created], revoke('p2')],
    ] as const)
      given(...past)
        .when(command)
        .thenRejected('actor_not_found', { actorId: 'x1' });
  });

  it('changes only what differs', () => {
    given(created)
      .when(update({ name: 'Ada', metadata: { team: 'a' } }))
      .thenNothing();
    given(created)
      .when(update({ name: 'Ada', status: 'disabled' }))
      .then({ type: 'ActorUpdated', data: { actorTokenId: 'x1', changes: { status: 'disabled' } } });
  });

  it('does not exist for another project or after its deletion', () => {
    given(created)
      .when(update({ name: 'Eve' }, 'p2'))
      .thenRejected('actor_not_found', { actorId: 'x1' });
    given(created).when(remove('p2')).thenRejected('actor_not_found', { actorId: 'x1' });
    given(created, deleted).when(remove()).thenRejected('actor_not_found', { actorId: 'x1' });
    given(created).when(remove()).then(deleted);
  });

  it('moves between scopes, and keeps its membership when it is moved to its own scope', () => {
    const inS1: ActorEvent = {
      type: 'ActorUpdated',
      data: { actorTokenId: 'x1', changes: membership('s1', 'm1') },
    };
    given(created)
      .when(update(membership('s1', 'm1')))
      .then(inS1);
    given(created, inS1)
      .when(update(membership('s1', 'm2')))
      .thenNothing();
    given(created, inS1)
      .when(update({ ...membership('s1', 'm2'), name: 'Eve' }))
      .then({ type: 'ActorUpdated', data: { actorTokenId: 'x1', changes: { name: 'Eve' } } });
    given(created, inS1)
      .when(update(membership('s2', 'm2')))
      .then({ type: 'ActorUpdated', data: { actorTokenId: 'x1', changes: membership('s2', 'm2') } });
    given(created, inS1)
      .when(update(membership(null, null)))
      .then({ type: 'ActorUpdated', data: { actorTokenId: 'x1', changes: membership(null, null) } });
    given(created)
      .when(update(membership(null, null)))
      .thenNothing();
  });

  it('remembers the membership that the last event ended', () => {
    const moved = (accessScopeId: string | null, membershipId: string | null): ActorEvent => ({
      type: 'ActorUpdated',
      data: { actorTokenId: 'x1', changes: membership(accessScopeId, membershipId) },
    });
    const renamed: ActorEvent = {
      type: 'ActorUpdated',
      data: { actorTokenId: 'x1', changes: { name: 'E' } },
    };
    const m1 = { membershipId: 'm1', accessScopeId: 's1', actorTokenId: 'x1' };
    expect(leftAfter(created)).to.equal(undefined);
    expect(leftAfter(created, moved('s1', 'm1'))).to.equal(undefined);
    expect(leftAfter(created, moved('s1', 'm1'), renamed)).to.equal(undefined);
    expect(leftAfter(created, moved('s1', 'm1'), moved('s2', 'm2'))).to.eql(m1);
    expect(leftAfter(created, moved('s1', 'm1'), moved(null, null))).to.eql(m1);
    expect(leftAfter(created, moved('s1', 'm1'), deleted)).to.eql(m1);
    expect(leftAfter(created, deleted)).to.equal(undefined);
    // From before there were memberships.
    const without: ActorEvent = { type: 'ActorCreated', data: { ...fields, accessScopeId: 's1' } };
    expect(leftAfter(without, deleted)).to.equal(undefined);
  });
});
