import { expect } from 'chai';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { coverageOf, nextMerge, type FactFile } from '../src/store/coverage.js';

const neighbours = (...sizes: readonly number[]): FactFile[] => {
  let next = 0;
  return sizes.map((size) => {
    const file = { partition: 0, first: next, last: next + size - 1, revision: 0 };
    next += size;
    return file;
  });
};

const planFor = (files: readonly FactFile[]): readonly FactFile[] =>
  nextMerge(coverageOf(files).counted).map(({ partition, first, last, revision }) => ({
    ...{ partition, first, last, revision },
  }));

describe('The files to merge', () => {
  it('are eight neighbours of similar size, and not seven', () => {
    const files = neighbours(...new Array<number>(8).fill(3));
    expect(planFor(files)).to.eql(files);
    expect(planFor(files.slice(1))).to.eql([]);
  });

  it('have no gap between them, and do not overlap', () => {
    const files = neighbours(...new Array<number>(9).fill(10));
    expect(planFor(files.toSpliced(4, 1))).to.eql([]);
    expect(planFor(files.toSpliced(4, 1, { partition: 0, first: 38, last: 49, revision: 0 }))).to.eql([]);
  });

  it('stay few, and each fact is written a few times, over ten thousand files', () => {
    const chance = seededChance(7);
    let files: FactFile[] = [];
    let next = 0;
    let written = 0;
    for (let n = 0; n < 10_000; n += 1) {
      const size = 1 + chance.below(500);
      files.push({ partition: 0, first: next, last: next + size - 1, revision: 0 });
      next += size;
      for (let run = planFor(files); run.length > 0; run = planFor(files)) {
        const [first, last] = [run[0] as FactFile, run.at(-1) as FactFile];
        written += last.last - first.first + 1;
        const at = files.findIndex((file) => file.first === first.first);
        files = files.toSpliced(at, run.length, { ...first, last: last.last });
      }
    }
    expect(files.length).to.be.lessThan(60);
    expect(written / next).to.be.lessThan(7);
    expect(coverageOf(files)).to.include({ missing: 0, next });
  });
});
