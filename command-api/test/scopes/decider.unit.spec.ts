import { expect } from 'chai';
import type { ScopeEvent, ScopeFields, ScopeMembership } from '@roomwire/shared/domain/scopes/scope';
import { placesIn, scopesDecider, type ScopeCommand } from '../../src/scopes/decider.js';
import { sentences, testTime } from '../support/given.js';

const given = sentences(scopesDecider);

const fields = (accessScopeId: string, slug: string): ScopeFields => ({
  accessScopeId,
  projectId: 'p1',
  slug,
  name: 'Acme',
  description: null,
  metadata: { tier: 1 },
});
const place = (membershipId: string, actorTokenId = 'x1', accessScopeId = 's1'): ScopeMembership => ({
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
const take = (data: ScopeMembership): ScopeCommand => ({ type: 'TakePlace', place: data });
const giveBack = (data: ScopeMembership): ScopeCommand => ({ type: 'GiveBackPlace', place: data });

describe('the scopes of a project', () => {
  it('hold each slug once, and free it with the scope', () => {
    given(created('s1', 'acme')).when(create('s2', 'acme')).thenRejected('scope_slug_taken');
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
      .thenRejected('scope_not_found');
  });

  it('are there as long as an actor has a place in them', () => {
    given(created('s1', 'acme')).when(remove).then(deleted);
    given(created('s1', 'acme'), taken(place('m1')))
      .when(remove)
      .thenRejected('scope_in_use');
    given(created('s1', 'acme'), taken(place('m1')), givenBack(place('m1')))
      .when(remove)
      .then(deleted);
    given(created('s1', 'acme'), deleted).when(remove).thenRejected('scope_not_found');
  });

  it('count actors, not places', () => {
    const scopes = given(
      created('s1', 'acme'),
      ...[place('m1', 'x1'), place('m2', 'x1'), place('m3', 'x2')].map(taken),
    );
    expect(() => scopes.when(remove).thenNothing())
      .to.throw()
      .with.deep.property('details', { actors: 2 });
  });

  it('take in who asks, inactive or not, and nobody once they are gone', () => {
    given(created('s1', 'acme'))
      .when(take(place('m1')))
      .then(taken(place('m1')));
    given(created('s1', 'acme'), {
      type: 'ScopeUpdated',
      data: { accessScopeId: 's1', changes: { isActive: false } },
    })
      .when(take(place('m1')))
      .then(taken(place('m1')));
    for (const past of [[], [created('s1', 'acme'), deleted]])
      given(...past)
        .when(take(place('m1')))
        .thenRejected('scope_not_in_project');
  });

  it('take back exactly the place that is named, once', () => {
    const past = [created('s1', 'acme'), taken(place('m1')), taken(place('m2'))];
    given(...past)
      .when(giveBack(place('m1')))
      .then(givenBack(place('m1')));
    given(...past, givenBack(place('m1')))
      .when(giveBack(place('m1')))
      .thenNothing();
    given(...past, givenBack(place('m1')))
      .when(remove)
      .thenRejected('scope_in_use');
    given()
      .when(giveBack(place('m1')))
      .thenNothing();
  });

  it('know since when a place is held', () => {
    const state = [created('s1', 'acme'), taken(place('m1'))].reduce(
      (folded, event) => scopesDecider.evolve(folded, { ...event, occurredAt: testTime }),
      scopesDecider.initial(),
    );
    expect(placesIn(state, 's1')).to.eql([{ ...place('m1'), takenAt: testTime }]);
    expect(placesIn(state, 's2')).to.eql([]);
  });
});
