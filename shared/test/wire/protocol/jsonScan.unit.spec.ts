import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import { isSoundJson } from '../../../src/wire/protocol/jsonScan.js';

const isSound = (text: string): boolean => isSoundJson(Buffer.from(text));

describe('the scan of JSON', () => {
  it('[WS-ENC-2] accepts every output of JSON.stringify', () => {
    fc.assert(fc.property(fc.json({ stringUnit: 'grapheme', maxDepth: 4 }), (text) => isSound(text)));
  });

  it('[WS-ENC-2] accepts 64 levels and refuses 65, and does not count brackets in strings', () => {
    expect(isSound('['.repeat(64))).to.equal(true);
    expect(isSound('['.repeat(65))).to.equal(false);
    expect(isSound('[],'.repeat(200))).to.equal(true);
    expect(isSound(`"${'['.repeat(200)}"`)).to.equal(true);
    expect(isSound(`"\\"${'['.repeat(200)}"`)).to.equal(true);
  });

  const escapes: [string, boolean][] = [
    ['"\\ud83d\\ude00"', true],
    ['"\\ud83d"', false],
    ['"\\ude00"', false],
    ['"\\ud83dx\\ude00"', false],
    ['"\\ud83d\\ud83d\\ude00"', false],
    ['"\\ud83d\\n"', false],
    ['"\\\\ud83d"', true],
    ['"\\\\\\ud83d"', false],
    ['"\\u0041"', true],
    ['"\\uD83D\\uDE00"', true],
  ];
  for (const [text, sound] of escapes) {
    it(`[WS-ENC-2] ${sound ? 'accepts' : 'refuses'} ${text}`, () => {
      expect(isSound(text)).to.equal(sound);
    });
  }

  it('agrees with JSON.parse on which strings are well formed', () => {
    const text = fc
      .array(fc.constantFrom('\\ud800', '\\udc00', '\\\\', '\\"', 'u', 'd800', '\\n', '\\u0000'))
      .map((parts) => `"${parts.join('')}"`);
    const property = fc.property(text, (json) => {
      const parsed = JSON.parse(json) as string;
      expect(isSound(json)).to.equal(Buffer.from(parsed).toString() === parsed);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
