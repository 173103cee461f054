import fc from 'fast-check';
import { expect } from 'chai';
import { tokenFlaw, tokenTimes } from '../src/connection/tokenText.js';
import { rejection, useHarness } from './support/harness.js';
import { clientToken } from './support/clientToken.js';

const whole = clientToken({ sub: 'key_2', iat: 1_785_000_000, exp: 1_785_000_120 });

describe('what the text of a token tells', () => {
  for (const [what, token, flaw] of [
    ['an API key', 'ak_live_12.secret', 'api_key_as_token'],
    ['a JWT without `kid`', clientToken({ sub: 'key_2' }, { alg: 'HS256' }), 'token_without_kid'],
    ['a JWT without its signature', whole.split('.').slice(0, 2).join('.'), 'malformed_token'],
    ['a JWT with a part too many', `${whole}.x`, 'malformed_token'],
    ['a JWT whose header was cut', `eyJhbGci.${whole.split('.')[1]}.c2ln`, 'malformed_token'],
    ['an access token', 'at_live_1.secret', undefined],
    ['a client token', whole, undefined],
    ['something of another kind', 'opaque', undefined],
  ] as const)
    it(`finds ${flaw ?? 'nothing wrong'} with ${what}`, () => {
      expect(tokenFlaw(token)).to.equal(flaw);
    });

  it('has the times of a client token, and none of others', () => {
    expect(tokenTimes(whole)).to.deep.equal({ issuedAt: 1_785_000_000, expiresAt: 1_785_000_120 });
    const none = { issuedAt: undefined, expiresAt: undefined };
    for (const token of ['at_live_1.secret', 'eyJhbGci', clientToken({ exp: 'soon' })])
      expect(tokenTimes(token)).to.deep.equal(none);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        tokenFlaw(`eyJ${text}`);
        tokenTimes(`eyJ${text}`);
      }),
    );
  });
});

describe('a token that no server will take', () => {
  const harness = useHarness();
  const withoutKid = clientToken({ sub: 'key_2' }, { alg: 'HS256' });

  for (const [error, token] of [
    ['api_key_as_token', 'ak_live_12.the-secret'],
    ['token_without_kid', withoutKid],
  ] as const)
    it(`ends the client with ${error}, unsent and unprinted`, async () => {
      const { client } = harness.open({ token });
      const reason = await rejection(client.ready());
      expect(reason).to.include({ name: 'AuthenticationError', error });
      expect(reason.message).to.include(reason.help);
      expect(JSON.stringify([reason, reason.message, reason.stack])).to.not.include(token);
    });

  it('is asked for again where a function has given it', async () => {
    const given = [withoutKid, 't2'];
    const refusals: unknown[] = [];
    const { client } = harness.open({
      token: ({ refused }) => {
        refusals.push(refused?.error);
        return given.shift() ?? '';
      },
    });
    await harness.time.pass(1_000);
    expect(await (await harness.broker.nextPeer()).accept()).to.include({ token: 't2' });
    await client.ready();
    expect(refusals).to.deep.equal([undefined, 'token_without_kid']);
  });
});
