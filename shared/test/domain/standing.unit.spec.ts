import { expect } from 'chai';
import { actor, organization, project, scope } from '@roomwire/testing/builders/records';
import type { Actor } from '../../src/domain/actor.js';
import { expiryOf, ownRule, standingRule, type Standing } from '../../src/domain/standing.js';

const now = Date.UTC(2026, 0, 1);
const at = (ms: number): string => new Date(now + ms).toISOString();

const standingOf = (fields: Partial<Actor> = {}, others: Partial<Standing> = {}): Standing => ({
  actor: actor('p', fields).record,
  project: project('p', 'o'),
  organization: organization('o'),
  scope: undefined,
  ...others,
});

describe('the standing of an actor', () => {
  const ruleOf = (fields: Partial<Actor>, others: Partial<Standing> = {}) =>
    standingRule(standingOf(fields, others), now);

  it('[WS-AUTH-7] ends in the very millisecond in which it expires', () => {
    expect(ruleOf({ expiresAt: at(1) })).to.equal(undefined);
    expect(ruleOf({ expiresAt: at(0) })).to.equal('actor_expired');
    expect(ruleOf({ expiresAt: at(-1) })).to.equal('actor_expired');
    expect(ruleOf({ expiresAt: null })).to.equal(undefined);
  });

  it('depends on its status, its project and its organization', () => {
    expect(ruleOf({}, { actor: undefined })).to.equal('actor_missing');
    expect(ruleOf({ status: 'disabled' })).to.equal('actor_disabled');
    expect(ruleOf({}, { project: undefined })).to.equal('project_missing');
    expect(ruleOf({}, { organization: undefined })).to.equal('organization_suspended');
    const suspended = { ...organization('o'), status: 'suspended' } as const;
    expect(ruleOf({}, { organization: suspended })).to.equal('organization_suspended');
  });

  it('is refused by the own record before any other is read', () => {
    const own = (fields: Partial<Actor>) => ownRule(actor('p', fields).record, now);
    expect(own({})).to.equal(undefined);
    expect(own({ status: 'disabled', expiresAt: at(0) })).to.equal('actor_disabled');
    expect(own({ expiresAt: at(0) })).to.equal('actor_expired');
    expect(ownRule(undefined, now)).to.equal('actor_missing');
    expect(ruleOf({ status: 'disabled' }, { project: undefined })).to.equal('actor_disabled');
    expect(expiryOf({ expiresAt: at(5) })).to.equal(now + 5);
    expect(expiryOf({ expiresAt: null })).to.equal(Infinity);
  });

  it('[WS-SCOPE-2] ends with its scope, which must be of its project', () => {
    const [own, other] = [scope('p', 'team'), scope('q', 'team')];
    const { accessScopeId } = own;
    expect(ruleOf({ accessScopeId }, { scope: own })).to.equal(undefined);
    expect(ruleOf({ accessScopeId })).to.equal('scope_inactive');
    expect(ruleOf({ accessScopeId }, { scope: { ...own, isActive: false } })).to.equal('scope_inactive');
    expect(ruleOf({ accessScopeId }, { scope: { ...other, accessScopeId } })).to.equal('scope_inactive');
  });
});
