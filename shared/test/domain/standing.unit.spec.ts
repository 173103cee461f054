import { expect } from 'chai';
import { actor, organization, project, scope } from '@roomwire/testing/builders/records';
import type { Actor } from '../../src/domain/actor.js';
import { standingRule, type Standing } from '../../src/domain/standing.js';

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

  it('[WS-SCOPE-2] ends with its scope, which must be of its project', () => {
    const [own, other] = [scope('p', 'team'), scope('q', 'team')];
    const { accessScopeId } = own;
    expect(ruleOf({ accessScopeId }, { scope: own })).to.equal(undefined);
    expect(ruleOf({ accessScopeId })).to.equal('scope_inactive');
    expect(ruleOf({ accessScopeId }, { scope: { ...own, isActive: false } })).to.equal('scope_inactive');
    expect(ruleOf({ accessScopeId }, { scope: { ...other, accessScopeId } })).to.equal('scope_inactive');
  });
});
