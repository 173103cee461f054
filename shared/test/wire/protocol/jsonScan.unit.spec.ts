import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import { isSoundJson, scanJsonObject } from '../../../src/wire/protocol/jsonScan.js';

const isSound = (text: string): boolean => isSoundJson(Buffer.from(text));

describe('the scan of JSON', () => {
  it('[WS-ENC-2] accepts every output of JSON.stringify', () => {
    fc.assert(fc.property(fc.json({ stringUnit: 'grapheme', maxDepth: 4 }), (text) => isSound(text)));
  });

  it('[WS-ENC-2] accepts 64 levels and refuses 65, and does not count brackets in strings', () => {
    expect(isSound(`${'['.repeat(64)}${']'.repeat(64)}`)).to.equal(true);
    expect(isSound(`${'['.repeat(65)}${']'.repeat(65)}`)).to.equal(false);
    expect(isSound(`[${'[],'.repeat(200)}{}]`)).to.equal(true);
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

const scanned = (text: string): [string, string][] | undefined => {
  const bytes = Buffer.from(text);
  const spans = scanJsonObject(bytes);
  if (spans === undefined) return undefined;
  const fields: [string, string][] = [];
  for (let at = 0; at < spans.length; at += 4)
    fields.push([
      bytes.toString('utf8', spans[at], spans[at + 1]),
      bytes.toString('utf8', spans[at + 2], spans[at + 3]),
    ]);
  return fields;
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the scan of a JSON object', () => {
  it('finds the fields and where their values are', () => {
    expect(scanned(' { "a" : 1.5e3 ,"b":[{"c":"]"}], "":"\\"" , "a":null } ')).to.deep.equal([
      ['a', '1.5e3'],
      ['b', '[{"c":"]"}]'],
      ['', '"\\""'],
      ['a', 'null'],
    ]);
    expect(scanned('{}')).to.deep.equal([]);
    expect(scanned('{ } ')).to.deep.equal([]);
  });

  it('[WS-ENC-2] agrees with JSON.parse on what is JSON', () => {
    const pieces = [
      ...['{', '}', '[', ']', ',', ':', '"a"', '"', '\\', '\\n', '\\u0041', '\\u00', ' ', '\n', '\t', '\0'],
      ...[
        '0',
        '1',
        '-',
        '+',
        '.',
        'e',
        'E5',
        '00',
        '1.5',
        'true',
        'fals',
        'null',
        'é',
        '\u00a0',
        '\ufeff',
        '/',
      ],
    ];
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    const mutated = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom(...pieces, ''), fc.nat(2))
      .map(([text, at, piece, cut]) => {
        const whole = `{"data":${text}}`;
        const place = at % whole.length;
        return whole.slice(0, place) + piece + whole.slice(place + cut);
      });
    const text = fc.oneof(
      soup,
      soup.map((inner) => `{"a":${inner}}`),
      mutated,
    );
    const property = fc.property(text, (any) => {
      const json = isJson(any);
      expect(isSound(any), any).to.equal(json);
      expect(scanned(any) !== undefined, any).to.equal(json && any.trimStart().startsWith('{'));
    });
    fc.assert(property, { numRuns: 30_000 });
  });

  it('[WS-ENC-2] refuses what MessagePack cannot carry', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(scanned(nested(64))).to.have.length(1);
    expect(scanned(nested(65))).to.equal(undefined);
    for (const half of ['\\ud83d', '\\ude00', '\\ud83dx\\ude00', '\\ud83d\\ud83d\\ude00', '\\ud83d\\n'])
      expect(scanned(`{"a":"${half}"}`), half).to.equal(undefined);
    expect(scanned('{"\\ud83d\\ude00":"\\uD83D\\uDE00"}')).to.have.length(1);
  });
});
