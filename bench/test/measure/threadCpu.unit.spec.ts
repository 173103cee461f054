import { expect } from 'chai';
import { divisionOf, startDivisionMeter } from '../../src/measure/threadCpu.js';

describe('how the work of a process is divided among its threads', () => {
  it('is told of the busiest ones beside the main thread', () => {
    const used = new Map([
      ...([[7, 2]] as const),
      ...([[8, 0.01]] as const),
      ...([[9, 3]] as const),
      ...([[10, 4.99]] as const),
    ]);
    const { evenness, mainThread } = divisionOf(used, 7, 2);
    expect(evenness).to.be.closeTo(3 / 3.995, 1e-9);
    expect(mainThread).to.be.closeTo(0.2, 1e-9);
  });

  it('is not a number where there is no such process', () => {
    const { evenness, mainThread } = startDivisionMeter(0, 2)();
    expect(evenness).to.be.NaN;
    expect(mainThread).to.be.NaN;
  });
});
