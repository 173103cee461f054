import { expect } from 'chai';
import { redactText } from '../../src/credentials/redactText.js';

const secret = 'S'.repeat(43);

describe('a text without its credentials', () => {
  it('keeps the public part of a key or a token', () => {
    for (const keyId of ['ak_live_0a1b', 'at_live_0a1b', 'sk_live_0a1b', 'sk_sandbox_0a1b'])
      for (const [before, after] of [
        ['', ''],
        ['/v1/apps/', '/rooms'],
        ['x', ' y'],
        ['{"a":"', '"}'],
      ] as const)
        expect(redactText(`${before}${keyId}.${secret}${after}`)).to.equal(
          `${before}${keyId}.[redacted]${after}`,
        );
  });

  it('has no token of three parts, at any position', () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.${secret}`;
    for (const before of ['', 'a ', '"', 'token=', 'x-', 'x'])
      expect(redactText(`${before}${token} rest`), before).to.match(/^(?:a |"|token=)?\[redacted\] rest$/);
    expect(redactText(`Authorization: Bearer ${secret}`)).to.equal('Authorization: [redacted]');
  });

  it('keeps text that is not a credential', () => {
    for (const text of ['at_live_0a1b', 'www.example.com', 'a.b.c', 'eyJhbGci', 'Room at_live', ''])
      expect(redactText(text)).to.equal(text);
  });

  it('takes linear time for what only looks like a credential', () => {
    for (const part of ['eyJ-', 'eyJ.', 'ak_live_', 'ak_live_a', 'Bearer ', 'eyJ-.a'])
      expect(redactText(part.repeat(250_000))).to.be.a('string');
  }).timeout(5_000);
});
