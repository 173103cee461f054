import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { systemRandom } from '../../src/adapters/system/systemRandom.js';
import { checksumOf } from '../../src/credentials/checksum.js';
import {
  hashSecret,
  matchesSecret,
  mintToken,
  mintWebhookSecret,
  parseToken,
} from '../../src/credentials/secretToken.js';
import type { Random } from '../../src/ports/random.js';

const fixed: Random = {
  uuid: () => expect.fail(),
  bytes: (length) => Uint8Array.from({ length }, (_, index) => index),
};

/** As SECURITY.md tells scanners. */
const tokenForm =
  /\b(?:ak_live|at_live|sk_live|sk_sandbox)_[0-9a-f]{24}\.[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}(?![\w-])/;
const webhookSecretForm = /\bwhsec_[A-Za-z0-9+/]{50}[0-9A-Za-z]{6}(?![\w+/=])/;

describe('the checksum of a secret', () => {
  it('is CRC-32 in base 62, in six characters', () => {
    // The check value of CRC-32: 0xcbf43926.
    expect(checksumOf('123456789')).to.equal('3jZRME');
    expect(checksumOf('')).to.equal('000000');
  });

  it('is the last six characters of every new one, over all before them', () => {
    for (const prefix of ['ak_live', 'at_live', 'sk_live', 'sk_sandbox'] as const) {
      const { token } = mintToken(systemRandom, prefix);
      expect(token).to.match(tokenForm);
      expect(token.slice(-6)).to.equal(checksumOf(token.slice(0, -6)));
    }
    const secret = mintWebhookSecret(systemRandom);
    expect(secret).to.match(webhookSecretForm);
    expect(secret.slice(-6)).to.equal(checksumOf(secret.slice(0, -6)));
  });

  it('is as SECURITY.md has it', async () => {
    const page = await readFile(new URL('../../../../SECURITY.md', import.meta.url), 'utf8');
    for (const token of [mintToken(fixed, 'ak_live').token, mintWebhookSecret(fixed)])
      expect(page).to.include(token);
    for (const { source } of [tokenForm, webhookSecretForm])
      expect(page).to.include(source.replaceAll('\\/', '/'));
  });

  it('leaves 256 random bits and more', () => {
    const { token } = mintToken(fixed, 'ak_live');
    expect(Buffer.from(token.slice(33, 33 + 43), 'base64url')).to.eql(Buffer.from(fixed.bytes(32)));
    expect(Buffer.from(mintWebhookSecret(fixed).slice('whsec_'.length), 'base64')).to.have.length(42);
  });

  it('is not asked for: credentials from before it stay valid', () => {
    const secret = 'x'.repeat(43);
    expect(parseToken(`ak_live_abc.${secret}`, 'ak_live')).to.eql({ keyId: 'ak_live_abc', secret });
  });
});

describe('secret tokens', () => {
  it('are a public key id and 256 random bits', () => {
    const { keyId, token, secretHash } = mintToken(systemRandom, 'at_live');
    expect(keyId).to.match(/^at_live_[0-9a-f]{24}$/);
    const parsed = parseToken(token, 'at_live');
    expect(parsed).to.include({ keyId });
    expect(parsed?.secret).to.have.length(49);
    expect(matchesSecret(parsed?.secret ?? '', secretHash)).to.equal(true);
    expect(secretHash).to.not.include(parsed?.secret);
  });

  it('are refused for another kind, and in another form', () => {
    const { token, keyId } = mintToken(systemRandom, 'at_live');
    expect(parseToken(token, 'ak_live')).to.equal(undefined);
    for (const text of [
      '',
      keyId,
      `${keyId}.`,
      `${token}.x`,
      ` ${token}`,
      `${token}\n`,
      `${keyId}.${'x'.repeat(1000)}`,
    ])
      expect(parseToken(text, 'at_live'), text).to.equal(undefined);
  });

  it('match one secret, and none where the key is unknown', () => {
    expect(matchesSecret('right', hashSecret('right'))).to.equal(true);
    expect(matchesSecret('wrong', hashSecret('right'))).to.equal(false);
    expect(matchesSecret('', undefined)).to.equal(false);
  });
});
