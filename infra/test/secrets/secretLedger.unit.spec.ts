import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createSecretLedger, secretsIn } from './secretLedger.js';

describe('the search for secrets', () => {
  const ledger = createSecretLedger();
  const secret = randomBytes(32).toString('base64url');
  ledger.addToken('the key', `ak_live_0123.${secret}`);
  const found = (bytes: Buffer | string) => secretsIn(Buffer.from(bytes as string), ledger.secrets);

  it('finds a secret in every form, at any position', () => {
    const bytes = Buffer.from(secret, 'base64url');
    for (const before of ['', 'a', 'ab', 'abc', 'abcd'])
      for (const text of [secret, secret.slice(0, 16), secret.slice(-16)])
        for (const form of [
          Buffer.from(before + text),
          Buffer.from(before + text, 'utf16le'),
          Buffer.from(before + text).toString('base64'),
          Buffer.from(`${before}${text}??>`).toString('base64'),
          Buffer.from(`${before}${text}??>`).toString('base64url'),
          Buffer.from(before + text).toString('hex'),
          Buffer.from(before + text)
            .toString('hex')
            .toUpperCase(),
          Buffer.concat([Buffer.from(before), bytes]),
          Buffer.concat([Buffer.from(before), bytes]).toString('base64'),
          bytes.toString('hex'),
        ])
          expect(found(form), String(form)).to.eql(['the key']);
  });

  it('finds nothing in text without one', () => {
    expect(found(randomBytes(1024 * 1024))).to.eql([]);
    expect(found(`ak_live_0123.${randomBytes(32).toString('base64url')}`)).to.eql([]);
  });
});
