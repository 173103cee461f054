import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { exportSPKI, generateKeyPair, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import {
  maxClientTokenLength,
  parseClientToken,
  verifyClientToken,
} from '../../src/credentials/clientToken.js';

const secret = 'VGhpcyBpcyB0aGUgc2VjcmV0IGFzIGl0IGlzIHNob3du';
const noon = Date.parse('2026-01-01T12:00:00Z');
const seconds = noon / 1000;
const kid = 'sk_live_00ff';
const sub = 'at_live_11ee';

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const sign = (text: string, key = secret, hash = 'sha256') =>
  `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
const tokenOf = (header: unknown, payload: unknown) => sign(`${part(header)}.${part(payload)}`);
const header = { alg: 'HS256', kid };

const verdict = (token: string, key = secret, now = noon) => {
  const parsed = parseClientToken(token);
  return typeof parsed === 'string' ? parsed : verifyClientToken(parsed, key, now);
};

describe('client tokens', () => {
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    it(`signed by jose with ${alg} are valid, with their subject and expiry`, async () => {
      const token = await new SignJWT({ any: 'thing' })
        .setProtectedHeader({ alg, kid, typ: 'JWT' })
        .setSubject(sub)
        .setExpirationTime(seconds + 60)
        .setNotBefore(seconds)
        .sign(Buffer.from(secret));
      expect(verdict(token)).to.equal('valid');
      expect(parseClientToken(token)).to.include({
        kid,
        subject: sub,
        expiresAt: seconds + 60,
        notBefore: seconds,
      });
    });
  }

  it('need no expiry', () => {
    const token = tokenOf(header, { sub });
    expect(verdict(token, secret, Number.MAX_SAFE_INTEGER)).to.equal('valid');
    expect(parseClientToken(token)).to.have.property('expiresAt', undefined);
  });

  it('expire in the millisecond of their exp, and are not valid before their nbf', () => {
    const token = tokenOf(header, { sub, nbf: seconds, exp: seconds + 1 });
    expect(verdict(token, secret, noon - 1)).to.equal('early');
    expect(verdict(token, secret, noon)).to.equal('valid');
    expect(verdict(token, secret, noon + 999)).to.equal('valid');
    expect(verdict(token, secret, noon + 1_000)).to.equal('expired');
  });

  it('do not tell a forger that they have expired', () => {
    expect(verdict(tokenOf(header, { sub, exp: 1 }), 'another secret')).to.equal('invalid');
  });

  it('are refused under any other algorithm', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const pem = await exportSPKI(publicKey);
    const signed = await new SignJWT({ sub }).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
    const text = `${part({ alg: 'RS256', kid })}.${part({ sub })}`;
    const confused = {
      RS256: signed,
      'RS256, signed with the public key as a secret': sign(text, pem),
      'RS256, signed with the secret': sign(text),
      none: new UnsecuredJWT({ sub }).encode(),
      'none with a kid': `${part({ alg: 'none', kid })}.${part({ sub })}.`,
      'none with a signature': tokenOf({ alg: 'none', kid }, { sub }),
      'lower case': tokenOf({ alg: 'hs256', kid }, { sub }),
      'an inherited name': tokenOf({ alg: 'constructor', kid }, { sub }),
      'a list': tokenOf({ alg: ['HS256'], kid }, { sub }),
      'no algorithm': tokenOf({ kid }, { sub }),
    };
    const { 'none with a kid': unsigned, none, ...others } = confused;
    for (const token of [unsigned, none]) expect(verdict(token)).to.equal('no_jwt');
    for (const [what, token] of Object.entries(others))
      expect(verdict(token), what).to.equal('algorithm_unknown');
    const hs512AsHs256 = sign(`${part(header)}.${part({ sub })}`, secret, 'sha512');
    expect(verdict(hs512AsHs256)).to.equal('invalid');
  });

  it('are refused without kid or sub, and with claims of the wrong type, and it is known which', () => {
    const bad: readonly (readonly [unknown, unknown, string])[] = [
      [{ alg: 'HS256' }, { sub }, 'kid_missing'],
      [{ alg: 'HS256', kid: 7 }, { sub }, 'kid_malformed'],
      [{ alg: 'HS256', kid: 'at_live_1' }, { sub }, 'kid_malformed'],
      [{ alg: 'HS256', kid: `sk_live_${'0'.repeat(65)}` }, { sub }, 'kid_malformed'],
      [{ ...header, crit: ['b64'], b64: false }, { sub }, 'crit_unknown'],
      [header, {}, 'sub_missing'],
      [header, { sub: null }, 'sub_missing'],
      [header, { sub: ['x'] }, 'sub_missing'],
      [header, { sub, exp: '9999999999' }, 'exp_malformed'],
      [header, { sub, exp: null }, 'exp_malformed'],
      [header, { sub, nbf: '1' }, 'nbf_malformed'],
      [header, '{"sub":"x","exp":1e400}', 'exp_malformed'],
      [header, [sub], 'sub_missing'],
      [header, null, 'no_jwt'],
      [header, 'no json', 'no_jwt'],
      ['"HS256"', { sub }, 'no_jwt'],
      [header, Buffer.from([0x7b, 0xff]).toString('latin1'), 'no_jwt'],
    ];
    for (const [head, payload, defect] of bad) {
      expect(parseClientToken(tokenOf(head, payload)), JSON.stringify([head, payload])).to.equal(defect);
    }
  });

  it('are refused when they are not three parts of base64url, or too long', () => {
    const token = tokenOf(header, { sub });
    for (const text of [
      '.',
      '..',
      'a.b',
      `${token}.x`,
      ` ${token}`,
      `${token}\n`,
      `${token}=`,
      'at_live_1.x',
    ])
      expect(parseClientToken(text), text).to.equal('no_jwt');
    expect(parseClientToken('')).to.equal('no_token');
    expect(verdict(tokenOf(header, { sub, pad: 'x'.repeat(8_000) }))).to.equal('valid');
    const long = tokenOf(header, { sub, pad: 'x'.repeat(maxClientTokenLength) });
    expect(parseClientToken(long)).to.equal('token_too_long');
  });

  it('are accepted where jose accepts them, and nowhere else', async () => {
    const times = fc.option(fc.integer({ min: seconds - 2, max: seconds + 2 }), { nil: undefined });
    const payloads = fc.record({ sub: fc.constantFrom(sub, undefined, 7), exp: times, nbf: times });
    const algorithms = fc.constantFrom('HS256', 'HS384', 'HS512', 'none', 'RS256', undefined);
    const hashes = fc.constantFrom('sha256', 'sha384', 'sha512');
    const keys = fc.constantFrom(secret, secret, `${secret}x`);
    const damages = fc.constantFrom(
      (token: string) => token,
      (token: string) => token,
      (token: string) => token.slice(0, -1),
      (token: string) => `${token}A`,
      (token: string) => token.replace('.', '.A'),
    );
    const asked = fc.tuple(payloads, algorithms, hashes, keys, damages);
    await fc.assert(
      fc.asyncProperty(asked, async ([payload, alg, hash, key, damage]) => {
        const token = damage(sign(`${part({ alg, kid })}.${part(payload)}`, key, hash));
        const byJose = await jwtVerify(token, Buffer.from(secret), {
          algorithms: ['HS256', 'HS384', 'HS512'],
          currentDate: new Date(noon),
        }).then(
          ({ payload: { sub: subject } }) => typeof subject === 'string',
          () => false,
        );
        expect(verdict(token) === 'valid', token).to.equal(byJose);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});
