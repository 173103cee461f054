import { expect } from 'chai';
import fc from 'fast-check';
import {
  logPositionOf,
  serverPositionOf,
} from '../../../src/adapters/event-log/eventstoredb/storedEvents.js';

const largest = 2n ** 64n - 1n;
const place = fc.record({
  commit: fc.bigInt({ min: 0n, max: largest - 1n }),
  prepare: fc.bigInt({ min: 0n, max: largest }),
});

describe('positions of EventStoreDB as text', () => {
  it('are parsed back unchanged', () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(serverPositionOf(logPositionOf(one))).to.deep.equal(one);
      }),
    );
  });

  it('sort like the positions, commit before prepare', () => {
    fc.assert(
      fc.property(place, place, (one, other) => {
        const before =
          one.commit < other.commit || (one.commit === other.commit && one.prepare < other.prepare);
        expect(logPositionOf(one) < logPositionOf(other)).to.equal(before);
      }),
    );
  });

  it('are refused when they belong to another log', () => {
    for (const text of ['', '7', '0000000000000001', `${'1'.repeat(20)}-${'1'.repeat(19)}`]) {
      expect(() => serverPositionOf(text), text).to.throw(RangeError);
    }
  });

  it('are refused when the server returned none', () => {
    expect(() => logPositionOf({ commit: largest, prepare: largest })).to.throw(RangeError, '22.10');
    expect(() => logPositionOf(undefined)).to.throw(RangeError, '22.10');
  });
});
