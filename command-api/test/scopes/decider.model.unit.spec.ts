import { expect } from 'chai';
import fc from 'fast-check';
import { membershipsIn, scopesDecider, type ScopeCommand } from '../../src/scopes/decider.js';
import { deciding } from '../support/deciders.js';

/** The scopes of a project as one would write them on paper: a list of scopes, a list of who is where. */
class PaperScopes {
  scopes: { id: string; slug: string; name: string }[] = [];
  memberships: { id: string; scope: string; actor: string }[] = [];

  tell(command: ScopeCommand): string {
    switch (command.type) {
      case 'CreateScope': {
        const { accessScopeId: id, slug, name } = command.scope;
        if (this.scopes.some((scope) => scope.slug === slug)) return 'scope_slug_taken';
        this.scopes.push({ id, slug, name });
        return 'done';
      }
      case 'UpdateScope': {
        const scope = this.scopes.find(({ id }) => id === command.accessScopeId);
        if (!scope) return 'scope_not_found';
        scope.name = command.changes.name ?? scope.name;
        return 'done';
      }
      case 'DeleteScope':
        if (!this.scopes.some(({ id }) => id === command.accessScopeId)) return 'scope_not_found';
        if (this.memberships.some(({ scope }) => scope === command.accessScopeId)) return 'scope_in_use';
        this.scopes = this.scopes.filter(({ id }) => id !== command.accessScopeId);
        return 'done';
      case 'TakeMembership': {
        const { membershipId: id, accessScopeId: scope, actorTokenId: actor } = command.membership;
        if (!this.scopes.some((each) => each.id === scope)) return 'scope_not_in_project';
        this.memberships = [...this.memberships.filter((each) => each.id !== id || each.scope !== scope)];
        this.memberships.push({ id, scope, actor });
        return 'done';
      }
      case 'ReleaseMembership': {
        const { membershipId, accessScopeId } = command.membership;
        this.memberships = this.memberships.filter(
          ({ id, scope }) => id !== membershipId || scope !== accessScopeId,
        );
        return 'done';
      }
    }
  }
}

const text = (...values: string[]) => fc.constantFrom(...values);
const scopeId = text('s1', 's2', 's3');
const membership = fc.record({
  membershipId: text('m1', 'm2', 'm3', 'm4'),
  accessScopeId: scopeId,
  actorTokenId: text('x1', 'x2'),
});
const step: fc.Arbitrary<(fresh: string) => ScopeCommand> = fc.oneof(
  fc
    .record({ slug: text('a1', 'b1', 'c1'), name: text('A', 'B') })
    .map(({ slug, name }) => (fresh: string) => ({
      type: 'CreateScope' as const,
      scope: { accessScopeId: fresh, projectId: 'p', slug, name, description: null, metadata: null },
    })),
  fc.record({ accessScopeId: scopeId, name: text('A', 'B', 'C') }).map(({ accessScopeId, name }) => () => ({
    type: 'UpdateScope' as const,
    accessScopeId,
    changes: { name },
  })),
  scopeId.map((accessScopeId) => () => ({ type: 'DeleteScope' as const, accessScopeId })),
  membership.map((each) => () => ({ type: 'TakeMembership' as const, membership: each })),
  membership.map((each) => () => ({ type: 'ReleaseMembership' as const, membership: each })),
);

describe('the scopes of a project, against a simple model', () => {
  it('agree on every answer and on the final state', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const real = deciding(scopesDecider);
        const paper = new PaperScopes();
        let made = 0;
        for (const next of steps) {
          const command = next(`s${made + 1}`);
          if (command.type === 'CreateScope') made += 1;
          expect(real.tell(command)).to.equal(paper.tell(command));
        }
        const { byId, slugs } = real.state();
        expect(
          [...byId.values()].map(({ record }) => [record.accessScopeId, record.slug, record.name]),
        ).to.have.deep.members(paper.scopes.map(({ id, slug, name }) => [id, slug, name]));
        expect([...slugs]).to.have.members(paper.scopes.map(({ slug }) => slug));
        expect(
          [...byId.keys()].flatMap((id) =>
            membershipsIn(real.state(), id).map((each) => [id, each.membershipId]),
          ),
        ).to.have.deep.members(paper.memberships.map(({ id, scope }) => [scope, id]));
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});
