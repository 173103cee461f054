import { expect } from 'chai';
import { findingsOf } from '../../src/pages/keys/tokenFindings.js';

const now = Date.parse('2027-01-31T09:30:00Z');
const seconds = now / 1_000;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (header: object, claims: object): string => `${part(header)}.${part(claims)}.signature`;

const header = { alg: 'HS256', kid: 'sk_live_1' };
const claims = { sub: 'at_live_1', exp: seconds + 60 };

describe('what is seen of a token', () => {
  it('is nothing wrong with a good one', () => {
    expect(findingsOf(jwt(header, claims), now)).to.deep.include({
      kind: 'client token',
      actor: 'at_live_1',
      signingKey: 'sk_live_1',
      faults: [],
    });
    expect(findingsOf('at_live_1.secret', now)).to.deep.include({ actor: 'at_live_1', faults: [] });
  });

  const faults: readonly (readonly [what: string, token: string, fault: RegExp])[] = [
    ['an API key', 'ak_live_1.secret', /is an API key/],
    ['a signing key', 'sk_live_1.secret', /rotate it/],
    ['something else', 'hello', /neither an access token/],
    ['an actor without its secret', 'at_live_1', /secret behind the dot is missing/],
    ['parts that are no JSON', 'a.b.c', /not JSON in base64url/],
    ['another algorithm', jwt({ ...header, alg: 'none' }, claims), /\(alg\) is none/],
    ['a kid with the secret', jwt({ ...header, kid: 'sk_live_1.secret' }, claims), /whole signing key/],
    ['no kid', jwt({ alg: 'HS256' }, claims), /kid is missing/],
    ['a sub that is no actor', jwt(header, { ...claims, sub: 'ada' }), /sub is ada/],
    ['an external name without an end', jwt(header, { sub: 'ext:ada' }), /no exp/],
    ['a time in milliseconds', jwt(header, { ...claims, exp: now }), /in milliseconds/],
    ['an end that is over', jwt(header, { ...claims, exp: seconds - 1 }), /has expired/],
    ['a beginning that is not there yet', jwt(header, { ...claims, nbf: seconds + 1 }), /not valid yet/],
  ];
  for (const [what, token, fault] of faults)
    it(`is ${what}`, () => {
      expect(findingsOf(token, now).faults.join()).to.match(fault);
    });

  it('never shows the secret', () => {
    for (const token of ['at_live_1.secret', jwt({ ...header, kid: 'sk_live_1.secret' }, claims)])
      expect(JSON.stringify(findingsOf(token, now))).not.to.include('secret.');
    expect(
      JSON.stringify(findingsOf(jwt({ ...header, kid: 'sk_live_1.topsecret' }, claims), now)),
    ).not.to.include('topsecret');
  });
});
