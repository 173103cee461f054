import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import { type SeededChance, seededChance } from '@roomwire/testing/run/seededChance';
import { parseInSlices } from '../../src/http/slicedJson.js';

const bounds = {
  levels: 33,
  fields: 10_000,
  beyond: (bound: string) => new RangeError(`too many ${bound}`),
};

const parsed = (text: string, within = bounds): Promise<unknown> =>
  parseInSlices(Buffer.from(text), within, workSlices());

/** What came of it, an error by its class alone. */
const outcome = async (parse: () => unknown): Promise<string> => {
  try {
    return JSON.stringify(await parse());
  } catch (error) {
    return (error as Error).constructor.name;
  }
};

const space = (chance: SeededChance): string => chance.oneOf(['', '', '', ' ', '\n\t']);

const written = (chance: SeededChance, depth = 0): string => {
  const around = (text: string): string => space(chance) + text + space(chance);
  const members = (member: () => string): string =>
    Array.from({ length: chance.below(depth === 0 ? 12 : 5) }, () => around(member())).join(',');
  const name = (): string =>
    chance.oneOf(['a', 'b', '7', 'q\\"', ':,{[', '__proto__', 'é', `k${chance.next()}`]);
  const text = (): string =>
    JSON.stringify(chance.oneOf(['x', '"\\', '[{,:', 'ü\ud83d\ude00']).repeat(chance.below(3_000)));
  const kinds = [
    () => chance.oneOf(['1', '-0', '1e3', 'true', 'null', '""']),
    text,
    ...(depth > 5 ? [] : [() => `[${members(() => written(chance, depth + 1))}]`]),
    ...(depth > 5
      ? []
      : [() => `{${members(() => `"${name()}"${space(chance)}:${written(chance, depth + 1)}`)}}`]),
  ];
  return around((depth === 0 ? chance.oneOf(kinds.slice(2)) : chance.oneOf(kinds))());
};

/** With one character left out, added or replaced that has a meaning in JSON. */
const damaged = (chance: SeededChance, text: string): string => {
  const places = [...text.matchAll(/[[\]{},:"\\]/g)].map(({ index }) => index);
  const at = places.length === 0 ? 0 : chance.oneOf(places);
  const left = text.slice(0, at) + chance.oneOf(['', '[', ']', '{', '}', ',', ':', '"', '1', '[]', ',,']);
  return left + text.slice(at + chance.below(2));
};

describe('JSON that is parsed in slices', () => {
  it('is what JSON.parse makes of it', async () => {
    const chance = seededChance(15);
    let pieces = 0;
    for (let n = 0; n < 400; n += 1) {
      const text = written(chance);
      if (text.length > 40_000) pieces += 1;
      expect(await outcome(() => parsed(text)), text.slice(0, 300)).to.equal(
        await outcome(() => JSON.parse(text)),
      );
    }
    expect(pieces).to.be.above(50);
  });

  it('is refused where JSON.parse refuses it', async () => {
    const chance = seededChance(16);
    // Of brackets of a string that is one no longer.
    const boundless = { ...bounds, levels: Infinity, fields: Infinity };
    let refused = 0;
    for (let n = 0; n < 400; n += 1) {
      const text = damaged(chance, written(chance));
      const expected = await outcome(() => JSON.parse(text));
      if (expected === 'SyntaxError') refused += 1;
      expect(await outcome(() => parsed(text, boundless)), text.slice(0, 300)).to.equal(expected);
    }
    expect(refused).to.be.above(150);
  });

  it('may have commas, brackets and text where they do not belong, also between pieces', async () => {
    const large = `[${'"x",'.repeat(10_000)}1]`;
    for (const text of [
      ...[
        `${large}${large}`,
        `[${large},]`,
        `[,${large}]`,
        `[${large}${large}]`,
        `[${large} 1]`,
        `1${large}`,
      ],
      ...[
        `${large}1`,
        `{"a":${large}${large}}`,
        `{"a" ${large}}`,
        `{${large}}`,
        `{"a":1,${large}}`,
        `[${large}}`,
      ],
      ...[
        `{"a":${large},}`,
        `{"a":${large}:1}`,
        `[${large}`,
        `${large}]`,
        large.replace('1]', ']'),
        `\ufeff${large}`,
      ],
      ...[`["a":${large}]`, `{"a":"b":${large}}`, `\u00a0${large}`, `${large},`, `${large}:`, `,${large}`],
    ])
      expect(await outcome(() => parsed(text)), text.slice(0, 9)).to.equal('SyntaxError');
    for (const text of [
      `[${large},${large}]`,
      `{"a":${large},"a":2}`,
      ` ${large}\n`,
      `[[[${large}]],{"__proto__":${large}}]`,
    ])
      expect(await outcome(() => parsed(text)), text.slice(0, 9)).to.equal(JSON.stringify(JSON.parse(text)));
  });

  it('is bounded in its levels and in the fields of each object', async () => {
    const fields = (count: number): string =>
      `{${Array.from({ length: count }, (_, n) => `"${n}":[{"a":0}]`).join(',')}}`;
    expect(Object.keys((await parsed(fields(10_000))) as object)).to.have.length(10_000);
    expect(await parsed(`[${fields(9_000)},${fields(9_000)}]`)).to.have.length(2);
    for (const [text, message] of [
      [fields(10_001), 'too many fields'],
      ['['.repeat(34) + ']'.repeat(34), 'too many levels'],
    ] as const)
      expect(await parsed(text).catch((error: unknown) => (error as Error).message)).to.equal(message);
    expect(await outcome(() => parsed('['.repeat(33) + ']'.repeat(33)))).to.equal(
      '['.repeat(33) + ']'.repeat(33),
    );
  });
});
