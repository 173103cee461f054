import { expect } from 'chai';
import { anonymousKilobytes, kilobytesOf } from '../../src/measure/memory.js';

describe('Memory of a process', () => {
  it('is told apart by what it is', () => {
    const status = 'VmRSS:\t   81234 kB\nRssAnon:\t   52000 kB\nRssFile:\t   29234 kB\n';
    expect(kilobytesOf(status, 'VmRSS')).to.equal(81_234);
    expect(kilobytesOf(status, 'RssAnon')).to.equal(52_000);
    expect(kilobytesOf(status, 'RssHuge')).to.be.NaN;
  });

  it('is not a number when there is no such process', () => {
    expect(anonymousKilobytes(0)).to.be.NaN;
  });
});
