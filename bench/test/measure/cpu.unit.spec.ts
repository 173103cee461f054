import { expect } from 'chai';
import { cpuSecondsOf } from '../../src/measure/cpu.js';

describe('CPU time of a process', () => {
  it('is user and system time, also when the name of the program has blanks and brackets', () => {
    const stat = '4242 (no) de (x) S 1 4242 4242 0 -1 4194560 100 0 0 0 150 25 7 9 20 0 11 0 12345 1000 200';
    expect(cpuSecondsOf(stat)).to.equal(1.75);
  });
});
