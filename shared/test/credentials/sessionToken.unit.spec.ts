import { expect } from 'chai';
import { SignJWT } from 'jose';
import {
  createSessionVerifier,
  mintSessionToken,
  sessionKeyIdOf,
  type NewSession,
} from '../../src/credentials/sessionToken.js';

const secret = new Uint8Array(32).fill(1);
const noon = Date.parse('2026-01-01T12:00:00Z');
const clockAt = (now: number) => ({ now: () => now, monotonic: () => now });
const session: NewSession = { subject: 'ada', organizationIds: ['o1', 'o2'], isOperator: false };
const mint = (with_ = secret, claims = session) => mintSessionToken(with_, claims, 60, clockAt(noon));
const verifier = createSessionVerifier({ secret }, clockAt(noon));

const signed = (claims: object, header: object = {}): Promise<string> =>
  new SignJWT({ iss: 'roomwire', sub: 'ada', exp: noon / 1_000 + 60, ...claims })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(secret);

describe('session tokens', () => {
  it('name their subject, organizations and expiry', async () => {
    const token = await mint();
    const verify = (now: number) => createSessionVerifier({ secret }, clockAt(now)).verify(token);
    const found = await verify(noon);
    expect(found).to.deep.include({
      ...session,
      principal: 'session:ada',
      roles: new Map(),
      issuedAt: noon / 1_000,
    });
    expect(await verify(noon + 59_000)).to.eql(found);
    expect(await verify(noon + 61_000)).to.equal(undefined);
  });

  it('have an id each', async () => {
    const [one, other] = [await verifier.verify(await mint()), await verifier.verify(await mint())];
    expect(one?.tokenId).to.match(/^[0-9a-f-]{36}$/);
    expect(other?.tokenId).to.not.equal(one?.tokenId);
  });

  it('are refused when they are unsigned or signed with another secret', async () => {
    const token = await mint(new Uint8Array(32).fill(2));
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    for (const bad of [token, unsigned, '', 'a.b.c', 'x'.repeat(10_000)])
      expect(await verifier.verify(bad), bad).to.equal(undefined);
  });

  it('require an expiry and a subject', async () => {
    expect(await verifier.verify(await signed({}))).to.include({ subject: 'ada' });
    expect(await verifier.verify(await signed({ exp: undefined }))).to.equal(undefined);
    for (const sub of [undefined, '', null, 5, {}, ['ada']])
      expect(await verifier.verify(await signed({ sub })), JSON.stringify(sub)).to.equal(undefined);
  });

  it('of earlier versions have neither an id nor the id of their secret', async () => {
    const found = await verifier.verify(await signed({ orgs: ['o1'] }));
    expect(found).to.deep.include({ organizationIds: ['o1'], tokenId: undefined, issuedAt: undefined });
  });

  it('name the role in an organization, and are refused when they do so wrongly', async () => {
    const [organization, other] = ['a', 'B'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
    const roles = { [String(organization)]: 'viewer', [String(other)]: 'editor' } as const;
    expect((await verifier.verify(await mint(secret, { ...session, roles })))?.roles).to.eql(
      new Map([
        [organization, 'viewer'],
        [other?.toLowerCase(), 'editor'],
      ]),
    );
    for (const bad of [
      null,
      'viewer',
      ['viewer'],
      { [String(organization)]: 'owner' },
      { [String(organization)]: null },
      { [String(organization)]: ['viewer'] },
      { [String(other)]: 'viewer', [String(other?.toLowerCase())]: 'admin' },
      { 'my organization': 'viewer' },
    ])
      expect(await verifier.verify(await signed({ roles: bad })), JSON.stringify(bad)).to.equal(undefined);
  });

  it('are refused when they are tokens of another type', async () => {
    for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])
      expect(await verifier.verify(await signed({}, { typ })), typ).to.include({ subject: 'ada' });
    for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'id_token', '', 5])
      expect(await verifier.verify(await signed({}, { typ })), String(typ)).to.equal(undefined);
  });

  describe('while the secret is changed', () => {
    const next = new Uint8Array(32).fill(3);
    const rotated = (now: number, until?: number) =>
      createSessionVerifier(
        { secret: next, previousSecrets: [{ secret, ...(until !== undefined && { until }) }] },
        clockAt(now),
      );

    it('are verified with the one that they name, or with any where they name none', async () => {
      for (const token of [await mint(), await mint(next), await signed({})])
        expect(await rotated(noon).verify(token)).to.include({ subject: 'ada' });
      const misnamed = await signed({}, { kid: sessionKeyIdOf(next) });
      expect(await rotated(noon).verify(misnamed)).to.equal(undefined);
      expect(await rotated(noon).verify(await signed({}, { kid: 'unknown' }))).to.equal(undefined);
    });

    it('end with the previous secret', async () => {
      const [named, nameless] = [await mint(), await signed({})];
      for (const token of [named, nameless]) {
        expect(await rotated(noon + 999, noon + 1_000).verify(token)).to.include({ subject: 'ada' });
        expect(await rotated(noon + 1_000, noon + 1_000).verify(token)).to.equal(undefined);
      }
      expect(await rotated(noon + 1_000, noon + 1_000).verify(await mint(next))).to.include({
        subject: 'ada',
      });
    });
  });
});
