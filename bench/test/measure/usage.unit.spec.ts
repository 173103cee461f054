import { expect } from 'chai';
import { anonymousKilobytes, cpuSecondsOf, kilobytesOf } from '../../src/measure/usage.js';

describe('CPU time of a process', () => {
  it('is user and system time, also when the name of the program has blanks and brackets', () => {
    const stat = '4242 (no) de (x) S 1 4242 4242 0 -1 4194560 100 0 0 0 150 25 7 9 20 0 11 0 12345 1000 200';
    expect(cpuSecondsOf(stat)).to.equal(1.75);
  });
});

describe('Memory of a process', () => {
  it('is read by kind', () => {
    const status = 'VmRSS:\t   81234 kB\nRssAnon:\t   52000 kB\nRssFile:\t   29234 kB\n';
    expect(kilobytesOf(status, 'VmRSS')).to.equal(81_234);
    expect(kilobytesOf(status, 'RssAnon')).to.equal(52_000);
    expect(kilobytesOf(status, 'RssHuge')).to.be.NaN;
  });

  it('is not a number when there is no such process', () => {
    expect(anonymousKilobytes(0)).to.be.NaN;
  });
});
