import { expect } from 'chai';
import { seededChance, type SeededChance } from '@roomwire/testing/run/seededChance';
import { isMadeAtOnce, itemTexts, jsonTexts } from '../../src/http/jsonTexts.js';

const words = ['', 'a', 'é😀', '\\"', '\u2028\u0000', '\ud83d', '__proto__'];
const lengths = [1, 2, 3, 3, 100, 16_384];

const anyText = (chance: SeededChance): string => chance.oneOf(words).repeat(chance.oneOf(lengths));

const anyValue = (chance: SeededChance, depth: number): unknown => {
  const kind = chance.below(depth > 0 ? 6 : 4);
  if (kind === 0) return anyText(chance);
  if (kind < 4) return chance.oneOf([null, true, 0, -1.5e300, undefined, new Date(0)]);
  const values = Array.from({ length: chance.oneOf([0, 1, 2, 6]) }, () => anyValue(chance, depth - 1));
  if (kind === 4) return values;
  return Object.fromEntries(values.map((value, at) => [`${at}${chance.oneOf(words)}`, value]));
};

const written = (value: unknown): string => JSON.stringify([value]).slice(1, -1);

describe('JSON in texts', () => {
  it('is what JSON.stringify makes of any value', () => {
    const chance = seededChance(7);
    for (let n = 0; n < 300; n += 1) {
      const value = anyValue(chance, 4);
      expect([...jsonTexts(value)].join('')).to.equal(written(value));
      expect([...itemTexts([value, value])].join('')).to.equal(`${written(value)},${written(value)}`);
    }
  });

  const large: Readonly<Record<string, unknown>> = {
    'a long text': 'x'.repeat(1_000_000),
    'a record with a long text, and one with a long name': [
      { name: 'a', config: { text: 'é'.repeat(1_000_000) } },
      { ['k'.repeat(1_000_000)]: 1 },
    ],
    'many small values': Array.from({ length: 200_000 }, (_, at) => at % 10),
    'many members': Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`k${at}`, 0])),
    'many records': Array.from({ length: 20_000 }, (_, at) => ({ id: `id-${at}`, tags: ['a', 'b'] })),
  };
  for (const [title, value] of Object.entries(large))
    it(`is made of ${title} in short and few steps`, () => {
      expect(isMadeAtOnce(value)).to.equal(false);
      const texts = [...jsonTexts(value)];
      expect(texts.join('')).to.equal(JSON.stringify(value));
      expect(Math.max(...texts.map(({ length }) => length))).to.be.below(100_000);
      expect(texts.length).to.be.below(400);
    });

  it('is made of a small value at once', () => {
    expect(isMadeAtOnce({ name: 'a', topics: ['b', null], config: { text: 'x'.repeat(10_000) } })).to.equal(
      true,
    );
  });
});
