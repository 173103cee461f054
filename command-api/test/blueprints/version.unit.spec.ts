import { expect } from 'chai';
import fc from 'fast-check';
import { compareVersions, versionSchema } from '../../src/blueprints/version.js';

const pattern = new RegExp(String(versionSchema['pattern']), 'u');

/** A version as numbers and words, and how it is written. */
interface Parts {
  readonly core: readonly bigint[];
  readonly prerelease: readonly (bigint | string)[];
}

const number = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 10n ** 30n));
const word = fc.stringMatching(/^[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,2}$/);
const parts: fc.Arbitrary<Parts> = fc.record({
  core: fc.array(fc.oneof({ weight: 9, arbitrary: fc.bigInt(0n, 2n) }, number), {
    minLength: 3,
    maxLength: 3,
  }),
  prerelease: fc.array(fc.oneof(number, word, fc.constantFrom('alpha', 'beta')), { maxLength: 3 }),
});
const written = ({ core, prerelease }: Parts, build = ''): string =>
  core.join('.') + (prerelease.length === 0 ? '' : `-${prerelease.join('.')}`) + build;

/** Paragraph 11 of semver 2.0.0, on numbers instead of text. */
const modelOrder = (a: Parts, b: Parts): number => {
  const release = (each: Parts): bigint => (each.prerelease.length === 0 ? 1n : 0n);
  const rank = (each: Parts): (bigint | string)[] => [...each.core, release(each), ...each.prerelease];
  const [left, right] = [rank(a), rank(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [x, y] = [left[index], right[index]];
    if (x === y) continue;
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    if (typeof x !== typeof y) return typeof x === 'bigint' ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
};

const numRuns = 5000;

describe('the order of versions', () => {
  it('follows the examples of semver 2.0.0', () => {
    const ordered = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '2.0.0',
      '2.1.0',
      '2.1.1',
      '2.1.10',
      '10.0.0',
    ];
    expect([...ordered].reverse().sort(compareVersions)).to.eql(ordered);
    ordered.slice(1).forEach((version, index) => {
      expect(compareVersions(ordered[index] ?? '', version), version).to.be.lessThan(0);
    });
  });

  it('follows numbers and words, for any two versions', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(Math.sign(compareVersions(written(a), written(b)))).to.equal(modelOrder(a, b));
      }),
      { seed: 17, numRuns },
    );
  });

  it('is a total order: antisymmetric and transitive', () => {
    fc.assert(
      fc.property(fc.tuple(parts, parts, parts), (three) => {
        const [a = '', b = '', c = ''] = three
          .map((each) => written(each))
          .sort((x, y) => compareVersions(x, y));
        expect([compareVersions(a, b), compareVersions(b, c), compareVersions(a, c)].every((o) => o <= 0)).to
          .be.true;
        expect(Math.sign(compareVersions(c, a)) + Math.sign(compareVersions(a, c))).to.equal(0);
      }),
      { seed: 18, numRuns },
    );
  });

  it('ignores build metadata', () => {
    fc.assert(
      fc.property(parts, (version) => {
        expect(compareVersions(written(version, '+b1.007'), written(version, '+a'))).to.equal(0);
        expect(compareVersions(written(version, '+b1.007'), written(version))).to.equal(0);
      }),
      { seed: 19, numRuns: 200 },
    );
  });

  it('accepts exactly the valid versions', () => {
    fc.assert(
      fc.property(parts, (version) => {
        expect(pattern.test(written(version))).to.equal(true);
        expect(pattern.test(written(version, '+0.b-1'))).to.equal(true);
      }),
      { seed: 20, numRuns: 500 },
    );
    const wrong = [
      '',
      '1',
      '1.2',
      '1.2.3.4',
      'v1.2.3',
      '01.2.3',
      '1.02.3',
      '1.2.03',
      '1.2.3-',
      '1.2.3-01',
      '1.2.3-a..b',
      '1.2.3+',
      '1.2.3+a+b',
      '1.2.3-ä',
      ' 1.2.3',
      '1.2.3\n',
      '1.2.-3',
      'latest',
    ];
    for (const text of wrong) {
      expect(pattern.test(text), text).to.equal(false);
      expect(() => compareVersions(text, '1.0.0'), text).to.throw(RangeError);
    }
  });
});
