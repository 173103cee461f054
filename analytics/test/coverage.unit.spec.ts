import { expect } from 'chai';
import fc from 'fast-check';
import { byPartition, coverageOf, factFileOf, nameOf, type FactFile } from '../src/store/coverage.js';

const file = (first: number, last: number, partition = 0, revision = 0): FactFile => ({
  ...{ partition, first, last, revision },
});

const anyFile = fc
  .tuple(fc.nat(60), fc.nat(20))
  .map(([first, length]): FactFile => file(first, first + length));

describe('The coverage of the files of a partition', () => {
  it('is contiguous when each file begins after the previous one', () => {
    const coverage = coverageOf([file(10, 19), file(0, 9)]);
    expect(coverage).to.eql({
      counted: [
        { ...file(0, 9), from: 0 },
        { ...file(10, 19), from: 10 },
      ],
      redundant: [],
      missing: 0,
      next: 20,
    });
    expect(coverageOf([])).to.eql({ counted: [], redundant: [], missing: 0, next: undefined });
  });

  it('excludes a file whose offsets are in others', () => {
    const [merged, before, after] = [file(0, 19), file(0, 9), file(10, 19)];
    const { counted, redundant } = coverageOf([before, after, merged]);
    expect(counted).to.eql([{ ...merged, from: 0 }]);
    expect(redundant.map((one) => one.file)).to.eql([before, after]);
  });

  it('uses the newest file for the same offsets', () => {
    const revisions = [file(0, 9), file(0, 9, 0, 10), file(0, 9, 0, 2)];
    expect(coverageOf(revisions).counted).to.eql([{ ...file(0, 9, 0, 10), from: 0 }]);
  });

  it('counts offsets between two files as missing', () => {
    expect(coverageOf([file(5, 9), file(13, 20)])).to.include({ missing: 3, next: 21 });
  });

  it('counts each offset of some file once, whatever their writers', () => {
    fc.assert(
      fc.property(fc.array(anyFile, { maxLength: 12 }), (files) => {
        const { counted, redundant, missing, next } = coverageOf(files);
        const times = new Map<number, number>();
        for (const { from, last } of counted)
          for (let place = from; place <= last; place += 1) times.set(place, (times.get(place) ?? 0) + 1);
        const covered = new Set<number>();
        for (const { first, last } of files)
          for (let place = first; place <= last; place += 1) covered.add(place);

        expect([...times.values()].every((count) => count === 1)).to.equal(true);
        expect([...times.keys()].sort()).to.eql([...covered].sort());
        expect(counted.length + redundant.length).to.equal(files.length);
        const [lowest, highest] = [Math.min(...covered), Math.max(...covered)];
        expect(next).to.equal(files.length === 0 ? undefined : highest + 1);
        if (files.length > 0) expect(missing).to.equal(highest - lowest + 1 - covered.size);
        for (const { file: left, coveredBy } of redundant) expect(coveredBy.last).to.be.at.least(left.last);
      }),
      { numRuns: 500 },
    );
  });
});

describe('The name of a file of facts', () => {
  it('contains its partition and its offsets, and sorts by them', () => {
    const files = [file(0, 99), file(100, 1_234_567_890_123), file(0, 5, 31, 12), file(0, 5, 123_456)];
    expect(files.map(nameOf).map(factFileOf)).to.eql(files);
    expect(files.slice(0, 3).map(nameOf)).to.eql(files.slice(0, 3).map(nameOf).sort());
  });

  it('is refused in any other form', () => {
    for (const name of [
      'charts',
      nameOf(file(0, 9)).replace('.parquet', '.0.parquet'),
      '.6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b.tmp',
      nameOf(file(1, 0)),
      `x${nameOf(file(0, 1))}`,
    ])
      expect(factFileOf(name), name).to.equal(undefined);
  });

  it('assigns the file to its partition', () => {
    const files = [file(0, 9, 1), file(0, 9, 2), file(10, 19, 1)];
    expect([...byPartition(files)]).to.eql([
      [1, [files[0], files[2]]],
      [2, [files[1]]],
    ]);
  });
});
