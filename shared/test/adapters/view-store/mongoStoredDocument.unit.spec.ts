import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeDocument,
  encodeFields,
  encodeKey,
} from '../../../src/adapters/view-store/mongo/storedDocument.js';
import { storedFilter, storedSort } from '../../../src/adapters/view-store/mongo/storedFilter.js';
import { anyMetadata } from './mongoMetadata.js';

const stored = (fields: object) => ({ ...encodeFields(fields), _id: 'r', _term: 1 });

const keysIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [
        ...(Array.isArray(value) ? [] : [key]),
        ...keysIn(inner),
      ]);

describe('a document in MongoDB', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(anyMetadata, (fields) => {
        const read = decodeDocument(stored(fields));
        expect(JSON.stringify(read)).to.equal(JSON.stringify(fields));
      }),
      { numRuns: 500 },
    );
  });

  it('has no key that MongoDB or its driver reads anything into', () => {
    fc.assert(
      fc.property(anyMetadata, (fields) => {
        for (const key of keysIn(encodeFields(fields))) {
          expect(key).to.match(/^[^_$.\0\ud800-\udfff][^$.\0]*$/u);
          expect(key in Object.prototype).to.equal(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps what is the adapter’s apart from what is the user’s', () => {
    const fields = { _id: 'mine', _term: 'mine', _removedAt: null };
    expect(stored(fields)).to.include({ _id: 'r', _term: 1 });
    expect(decodeDocument(stored(fields))).to.deep.equal(fields);
  });

  it('leaves ordinary fields as they are, for whoever looks into the database', () => {
    const fields = {
      roomId: 'r',
      topics: ['a'],
      metadata: { size: 1, owner: { name: 'Ann' }, 'with-dash': true },
    };
    expect(encodeFields(fields)).to.deep.equal(fields);
    expect(encodeKey('createdAt')).to.equal('createdAt');
  });
});

describe('a filter for MongoDB', () => {
  it('names fields as they are stored, at every level', () => {
    expect(
      storedFilter({
        'metadata._a.b%': 1,
        $or: [{ _id: { $not: { $in: [1] } } }, { list: { $elemMatch: { _x: { $gt: 1 } } } }],
        marks: { $elemMatch: { $gt: 1, $not: { $lt: 3 } } },
      }),
    ).to.deep.equal({
      'metadata.%5Fa.b%25': 1,
      $or: [{ '%5Fid': { $not: { $in: [1] } } }, { list: { $elemMatch: { '%5Fx': { $gt: 1 } } } }],
      marks: { $elemMatch: { $gt: 1, $not: { $lt: 3 } } },
      _removedAt: null,
    });
  });

  it('sorts by the first direction of a field', () => {
    const sort = storedSort([
      ['name', 1],
      ['metadata._x', -1],
      ['name', -1],
    ]);
    expect([...sort]).to.deep.equal([
      ['name', 1],
      ['metadata.%5Fx', -1],
    ]);
  });
});
