import { expect } from 'chai';
import { coresOf, onCore } from '../../src/process/cores.js';

describe('Cores', () => {
  it('are parsed from ranges and single numbers', () => {
    expect(coresOf('0-2,5,8-9')).to.deep.equal([0, 1, 2, 5, 8, 9]);
    expect(coresOf('3')).to.deep.equal([3]);
    expect(coresOf('')).to.deep.equal([]);
  });

  it('are passed to taskset, which becomes the program itself', () => {
    expect(onCore('node', 1)).to.deep.equal({ command: 'taskset', prefix: ['-c', '1', 'node'] });
    expect(onCore('node', undefined)).to.deep.equal({ command: 'node', prefix: [] });
  });
});
