import { expect } from 'chai';
import { ServiceLog } from '../../src/soak/serviceLog.js';

describe('The log of a service that is soaked', () => {
  it('has nothing but information, whatever the pieces in which it comes', () => {
    const log = new ServiceLog();
    const lines = [
      { level: 'info', message: 'Ready' },
      { level: 'warn', message: 'Slow', ms: 1 },
      { level: 'warn', message: 'Slow', ms: 2 },
      { level: 'error', message: 'Broken' },
    ].map((line) => `${JSON.stringify(line)}\n`);
    for (const character of `${lines.join('')}(node:1) MaxListenersExceededWarning\n`) log.add(character);
    expect(log.lines).to.equal(5);
    expect([...log.complaints].map(([kind, { count }]) => [kind, count])).to.deep.equal([
      ['warn: Slow', 2],
      ['error: Broken', 1],
      ['not JSON: (node:1) MaxListenersExceededWarning', 1],
    ]);
  });
});
