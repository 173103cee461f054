import { expect } from 'chai';
import {
  connectionPlacePattern,
  factPlacePattern,
  placeAt,
  placeBehind,
  placeInBatch,
  placeOfBatch,
  placeOfConnection,
} from '../../src/wire/connectionPlaces.js';

const connectionId = '0f0e0d0c-0b0a-4908-8706-050403020100';

describe('the places of connections and of their facts', () => {
  it('are cursors of the lists, whatever the time and the number', () => {
    for (const number of [0, 1, 35, 36, 1_800_000_000_000]) {
      expect(placeOfConnection({ connectedAt: number, connectionId })).to.match(
        new RegExp(connectionPlacePattern),
      );
      const batch = placeOfBatch(Math.min(number, 36 ** 8 - 1));
      expect(placeInBatch(batch, Math.min(number, 36 ** 4 - 1))).to.match(new RegExp(factPlacePattern));
    }
  });

  it('sort by time, and by batch and index', () => {
    const place = placeOfConnection({ connectedAt: 36, connectionId });
    expect([placeBehind(36), place, placeAt(37), placeAt(36), placeBehind(35)].sort()).to.deep.equal([
      placeBehind(35),
      placeAt(36),
      place,
      placeBehind(36),
      placeAt(37),
    ]);
    const facts = [
      placeInBatch(placeOfBatch(9), 36),
      placeInBatch(placeOfBatch(9), 7),
      placeInBatch(placeOfBatch(10), 0),
    ];
    expect([...facts].sort()).to.deep.equal([facts[1], facts[0], facts[2]]);
  });
});
