import { expect } from 'chai';
import { judgeActor, type Access, type JudgedConnection } from '../../src/trace/actorOutcome.js';
import type { Verdict } from '../../src/trace/outcome.js';
import { RecordedLife } from './recordedLife.js';

const verdicts = {
  delivered: { outcome: 'delivered', how: 'live', facts: [] },
  filtered: { outcome: 'filtered', filters: ['eu'], facts: [] },
  denied: { outcome: 'denied', rule: 'grant_revoked', facts: [] },
  unknown: { outcome: 'unknown', reason: 'too_close', facts: [] },
  notSubscribed: { outcome: 'not_subscribed', facts: [] },
  notConnected: { outcome: 'not_connected', facts: [] },
} as const satisfies Record<string, Verdict>;

const allowed: Access = { isAllowed: true, rule: 'open', event: undefined };
const refused = (rule: string): Access => ({ isAllowed: false, rule, event: undefined });

const judged = (...names: (keyof typeof verdicts)[]): readonly JudgedConnection[] =>
  names.map((name) => ({ connection: new RecordedLife().connection, verdict: verdicts[name] }));

const outcomeOf = (
  connections: readonly JudgedConnection[],
  { access = allowed, missing }: { access?: Access | undefined; missing?: 'gap' } = {},
): string => {
  const { verdict } = judgeActor({ judged: connections, without: verdicts.notConnected, access, missing });
  return verdict.outcome === 'denied' ? `denied ${verdict.rule}` : verdict.outcome;
};

describe('what became of a message for an actor', () => {
  it('is the best that became of it for one of its connections', () => {
    expect(outcomeOf(judged('filtered', 'delivered', 'notConnected'))).to.equal('delivered');
    expect(outcomeOf(judged('notSubscribed', 'filtered'))).to.equal('filtered');
    expect(outcomeOf([])).to.equal('not_connected');
  });

  it('is unknown where another connection may have got it, unless one is known to have', () => {
    expect(outcomeOf(judged('filtered', 'unknown'))).to.equal('unknown');
    expect(outcomeOf(judged('filtered'), { missing: 'gap' })).to.equal('unknown');
    expect(outcomeOf([], { missing: 'gap' })).to.equal('unknown');
    expect(outcomeOf(judged('delivered'), { missing: 'gap' })).to.equal('delivered');
  });

  it('is that it was denied where it could not have subscribed', () => {
    const access = refused('grant_missing');
    expect(outcomeOf(judged('notSubscribed'), { access })).to.equal('denied grant_missing');
    expect(outcomeOf(judged('denied'), { access })).to.equal('denied grant_missing');
    expect(outcomeOf(judged('denied'))).to.equal('denied grant_revoked');
    expect(outcomeOf(judged('filtered'), { access })).to.equal('filtered');
  });

  it('is that it was not connected, whatever grants it had, but denied where it could not have connected', () => {
    expect(outcomeOf([], { access: refused('grant_missing') })).to.equal('not_connected');
    for (const rule of ['actor_disabled', 'scope_inactive', 'other_scope'])
      expect(outcomeOf([], { access: refused(rule) })).to.equal(`denied ${rule}`);
  });
});
