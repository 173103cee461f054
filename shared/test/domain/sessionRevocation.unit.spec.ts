import { expect } from 'chai';
import {
  createdSessionRevocation,
  revocationKeys,
  revokedFor,
  type RevocableSession,
  type SessionRevocationFields,
} from '../../src/domain/sessionRevocation.js';

const noon = '2026-01-01T12:00:00.700Z';
const noonSeconds = Date.parse('2026-01-01T12:00:00Z') / 1_000;

const session: RevocableSession = {
  subject: 'ada',
  principal: 'session:ada',
  organizationIds: ['o1', 'o2'],
  isOperator: false,
  tokenId: 'j1',
  issuedAt: noonSeconds - 1,
};
const operator = { ...session, isOperator: true };
const revocation = (fields: Partial<SessionRevocationFields>) =>
  createdSessionRevocation(
    { revocationId: 'r1', organizationId: 'o1', jti: null, subject: null, byOperator: false, ...fields },
    noon,
  );

/** What a session has lost by revocations that are found by its keys, as the read model finds them. */
const lost = (of: RevocableSession, ...fields: readonly Partial<SessionRevocationFields>[]) => {
  const keys = revocationKeys(of);
  const found = revokedFor(
    of,
    fields.map(revocation).filter(({ revokes }) => keys.includes(revokes)),
  );
  return found === 'all' ? found : [...found];
};

describe('a session revocation', () => {
  it('keeps what it was made with, and says what is looked up for it', () => {
    const [ofId, ofSubject] = [revocation({ jti: 'j1' }), revocation({ subject: 'ada' })];
    expect(ofId).to.deep.include({ revocationId: 'r1', jti: 'j1', createdAt: noon, revokes: 'jti:j1' });
    expect(ofSubject.revokes).to.equal('subject:ada');
    expect(revocationKeys(session)).to.eql(['jti:j1', 'subject:ada', 'subject:session:ada']);
    const unnamed = { ...session, tokenId: undefined };
    expect(revocationKeys(unnamed)).to.eql(['subject:ada', 'subject:session:ada']);
  });

  it('ends a session by its id, or those of a subject, in its own organization alone', () => {
    expect(lost(session, { jti: 'j1' })).to.eql(['o1']);
    expect(lost(session, { subject: 'ada' })).to.eql(['o1']);
    expect(lost(session, { jti: 'j2' }, { subject: 'bob' })).to.eql([]);
    expect(lost(session, { jti: 'ada' }, { subject: 'j1' })).to.eql([]);
    expect(lost({ ...session, tokenId: undefined }, { jti: 'j1' })).to.eql([]);
    expect(lost(session, { jti: 'j1', organizationId: 'o3' })).to.eql([]);
  });

  it('of the last organization ends the whole session', () => {
    expect(lost(session, { jti: 'j1' }, { subject: 'ada', organizationId: 'o2' })).to.equal('all');
    expect(lost({ ...session, organizationIds: ['o1'] }, { subject: 'ada' })).to.equal('all');
    expect(lost({ ...session, organizationIds: [] }, { subject: 'ada' })).to.eql([]);
  });

  it('of a subject is about the sessions of before, to the second', () => {
    const at = (issuedAt: number | undefined) => lost({ ...session, issuedAt }, { subject: 'ada' });
    expect(at(noonSeconds - 0.1)).to.eql(['o1']);
    expect(at(noonSeconds)).to.eql([]);
    expect(at(noonSeconds + 1)).to.eql([]);
    expect(at(undefined)).to.eql(['o1']);
    expect(lost({ ...session, issuedAt: noonSeconds + 1 }, { jti: 'j1' })).to.eql(['o1']);
  });

  it('of a principal tells a minted subject from that of an issuer, one of a name does not', () => {
    const issued = { ...session, principal: 'oidc:https://issuer.test|ada' };
    expect(lost(session, { subject: 'session:ada' })).to.eql(['o1']);
    expect(lost(issued, { subject: 'session:ada' })).to.eql([]);
    expect(lost(session, { subject: issued.principal })).to.eql([]);
    expect(lost(issued, { subject: issued.principal })).to.eql(['o1']);
    expect(lost(issued, { subject: 'ada' })).to.eql(['o1']);
  });

  it('ends the sessions of operators only where an operator made it, and then altogether', () => {
    expect(lost(operator, { jti: 'j1' }, { subject: 'ada' })).to.eql([]);
    expect(lost(operator, { jti: 'j1', byOperator: true, organizationId: 'o9' })).to.equal('all');
    expect(lost(operator, { subject: 'ada', byOperator: true })).to.equal('all');
    expect(lost(operator, { subject: 'ada' }, { jti: 'j1', byOperator: true })).to.equal('all');
    expect(lost(session, { subject: 'ada', byOperator: true })).to.eql(['o1']);
  });
});
