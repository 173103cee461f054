import fc from 'fast-check';
import { expect } from 'chai';
import { excessOf, type GatewayCount } from '../../src/limits/connectionLimit.js';

const counts = (...connections: readonly number[]): readonly GatewayCount[] =>
  connections.map((each, index) => ({ gatewayId: `g${index}`, connections: each }));

const excessOfEach = (gateways: readonly GatewayCount[], most: number): readonly number[] =>
  gateways.map(({ gatewayId }) => excessOf(gatewayId, gateways, most));

describe('connection shares', () => {
  it('[WS-AUTH-13] close nothing up to the limit', () => {
    expect(excessOfEach(counts(3, 0, 2), 5)).to.deep.equal([0, 0, 0]);
    expect(excessOfEach([], 0)).to.deep.equal([]);
  });

  it('[WS-AUTH-13] are proportional, and the remainder is that of one gateway', () => {
    expect(excessOfEach(counts(8, 4), 6)).to.deep.equal([4, 2]);
    expect(excessOfEach(counts(2, 2), 3)).to.deep.equal([0, 1]);
    expect(excessOfEach(counts(5, 0, 1), 0)).to.deep.equal([5, 0, 1]);
  });

  it('[WS-AUTH-13] add up to the excess, in whatever order the gateways are known', () => {
    const gateways = fc.array(fc.nat(50), { maxLength: 8 });
    fc.assert(
      fc.property(gateways, fc.nat(200), (connections, most) => {
        const known = counts(...connections);
        const closed = excessOfEach(known, most);
        const total = connections.reduce((sum, each) => sum + each, 0);
        expect(closed.reduce((sum, each) => sum + each, 0)).to.equal(Math.max(0, total - most));
        closed.forEach((each, index) => expect(each).to.be.within(0, connections[index] as number));
        const reversed = [...known].reverse();
        expect(excessOfEach(reversed, most)).to.deep.equal([...closed].reverse());
      }),
      { seed: 20260117, numRuns: 500 },
    );
  });
});
