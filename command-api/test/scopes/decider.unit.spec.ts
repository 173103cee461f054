import { expect } from 'chai';
import type { ScopeEvent, ScopeFields, ScopeMembership } from '@roomwire/shared/domain/scope';
import { membershipsIn, scopesDecider, type ScopeCommand } from '../../src/scopes/decider.js';
import { remade, sentences, testTime } from '../support/deciders.js';

const given = sentences(scopesDecider);

const fields = (accessScopeId: string, slug: string): ScopeFields => ({
  accessScopeId,
  projectId: 'p1',
  slug,
  name: 'Acme',
  description: null,
  metadata: { tier: 1 },
});
const membership = (membershipId: string, actorTokenId = 'x1', accessScopeId = 's1'): ScopeMembership => ({
  membershipId,
  accessScopeId,
  actorTokenId,
});
const created = (accessScopeId: string, slug: string): ScopeEvent => ({
  type: 'ScopeCreated',
  data: fields(accessScopeId, slug),
});
const deleted: ScopeEvent = { type: 'ScopeDeleted', data: { accessScopeId: 's1' } };
const taken = (data: ScopeMembership): ScopeEvent => ({ type: 'ScopeMembershipTaken', data });
const givenBack = (data: ScopeMembership): ScopeEvent => ({ type: 'ScopeMembershipGivenBack', data });
const create = (accessScopeId: string, slug: string): ScopeCommand => ({
  type: 'CreateScope',
  scope: fields(accessScopeId, slug),
});
const update = (changes: object): ScopeCommand => ({ type: 'UpdateScope', accessScopeId: 's1', changes });
const remove: ScopeCommand = { type: 'DeleteScope', accessScopeId: 's1' };
const take = (data: ScopeMembership): ScopeCommand => ({ type: 'TakeMembership', membership: data });
const release = (data: ScopeMembership): ScopeCommand => ({ type: 'ReleaseMembership', membership: data });

describe('the scopes of a project', () => {
  it('hold each slug once, and free it with the scope', () => {
    given(created('s1', 'acme'))
      .when(create('s2', 'acme'))
      .thenRejected('scope_slug_taken', { slug: 'acme' });
    given(created('s1', 'acme')).when(create('s2', 'other')).then(created('s2', 'other'));
    given(created('s1', 'acme'), deleted).when(create('s2', 'acme')).then(created('s2', 'acme'));
  });

  it('change only what differs', () => {
    given(created('s1', 'acme'))
      .when(update({ name: 'Acme', metadata: { tier: 1 }, isActive: true }))
      .thenNothing();
    given(created('s1', 'acme'))
      .when(update({ name: 'Acme', isActive: false }))
      .then({ type: 'ScopeUpdated', data: { accessScopeId: 's1', changes: { isActive: false } } });
    given()
      .when(update({ name: 'x' }))
      .thenRejected('scope_not_found', { accessScopeId: 's1' });
  });

  it('exist as long as an actor has a membership of them', () => {
    given(created('s1', 'acme')).when(remove).then(deleted);
    given(created('s1', 'acme'), taken(membership('m1')))
      .when(remove)
      .thenRejected('scope_in_use');
    given(created('s1', 'acme'), taken(membership('m1')), givenBack(membership('m1')))
      .when(remove)
      .then(deleted);
    given(created('s1', 'acme'), deleted)
      .when(remove)
      .thenRejected('scope_not_found', { accessScopeId: 's1' });
  });

  it('count actors, not memberships', () => {
    const scopes = given(
      created('s1', 'acme'),
      ...[membership('m1', 'x1'), membership('m2', 'x1'), membership('m3', 'x2')].map(taken),
    );
    expect(() => scopes.when(remove).thenNothing())
      .to.throw()
      .with.deep.property('details', { actors: 2 });
  });

  it('accept members whether active or not, and none after deletion', () => {
    given(created('s1', 'acme'))
      .when(take(membership('m1')))
      .then(taken(membership('m1')));
    given(created('s1', 'acme'), {
      type: 'ScopeUpdated',
      data: { accessScopeId: 's1', changes: { isActive: false } },
    })
      .when(take(membership('m1')))
      .then(taken(membership('m1')));
    for (const past of [[], [created('s1', 'acme'), deleted]])
      given(...past)
        .when(take(membership('m1')))
        .thenRejected('scope_not_in_project', { accessScopeId: 's1' });
  });

  it('release exactly the named membership, once', () => {
    const past = [created('s1', 'acme'), taken(membership('m1')), taken(membership('m2'))];
    given(...past)
      .when(release(membership('m1')))
      .then(givenBack(membership('m1')));
    given(...past, givenBack(membership('m1')))
      .when(release(membership('m1')))
      .thenNothing();
    given(...past, givenBack(membership('m1')))
      .when(remove)
      .thenRejected('scope_in_use');
    given()
      .when(release(membership('m1')))
      .thenNothing();
  });

  it('remember since when a membership is held', () => {
    const state = [created('s1', 'acme'), taken(membership('m1'))].reduce(
      (folded, event) => scopesDecider.evolve(folded, { ...event, occurredAt: testTime }),
      scopesDecider.initial(),
    );
    expect(membershipsIn(state, 's1')).to.eql([{ ...membership('m1'), takenAt: testTime }]);
    expect(membershipsIn(state, 's2')).to.eql([]);
  });

  it('are the same when they are made of their records', () => {
    const past = [
      ...[created('s1', 'acme'), created('s2', 'other'), taken(membership('m1')), taken(membership('m2'))],
      ...[givenBack(membership('m2')), taken(membership('m3', 'x2', 's2'))],
      { type: 'ScopeUpdated', data: { accessScopeId: 's1', changes: { name: 'New' } } } as const,
    ];
    const { state, again } = remade(scopesDecider, past);
    expect(again).to.eql(state);
    expect(again?.byId.get('s1')?.record).to.include({ name: 'New', slug: 'acme' });
    expect(again && membershipsIn(again, 's1')).to.eql([{ ...membership('m1'), takenAt: testTime }]);
  });

  it('have nothing of a scope that was never created, or was deleted', () => {
    for (const past of [
      [deleted],
      [taken(membership('m1')), givenBack(membership('m1'))],
      [created('s1', 'acme'), deleted, givenBack(membership('m1'))],
    ])
      expect(remade(scopesDecider, past).state).to.eql(scopesDecider.initial());
  });
});
