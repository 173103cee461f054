import { expect } from 'chai';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import {
  decodeDocument,
  encodeFields,
  encodeKey,
  storedFilter,
  storedSort,
} from '../../../src/adapters/view-store/mongo/storedDocument.js';
import { anyMetadata } from './mongoMetadata.js';

const { calculateObjectSize, deserialize, serialize } = BSON;

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

  it('has no key that MongoDB or its driver interprets', () => {
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

  it('separates the fields of the adapter from those of the user', () => {
    const fields = { _id: 'mine', _term: 'mine', _removedAt: null };
    expect(stored(fields)).to.include({ _id: 'r', _term: 1 });
    expect(decodeDocument(stored(fields))).to.deep.equal(fields);
  });

  it('leaves ordinary fields unchanged, so that the database is readable', () => {
    const fields = {
      roomId: 'r',
      topics: ['a'],
      metadata: { size: 1, owner: { name: 'Ann' }, 'with-dash': true },
    };
    expect(encodeFields(fields)).to.deep.equal(fields);
    expect(encodeKey('createdAt')).to.equal('createdAt');
  });
});

describe('a large document in MongoDB', () => {
  const mebibyte = 1024 * 1024;
  const listOf = (item: string, count: number): unknown =>
    JSON.parse(`[${Array.from({ length: count }, () => item).join(',')}]`);
  /** The hardest that a body of 1 MiB can hold, or a message in a dead letter of three. */
  const fields = {
    emptyLists: listOf('[]', mebibyte),
    emptyObjects: listOf('{}', mebibyte),
    numbers: listOf('1', mebibyte),
    halves: listOf(String.raw`"\ud800"`, mebibyte / 9),
    dots: { ['.'.repeat(mebibyte)]: 1 },
    keys: Object.fromEntries(Array.from({ length: mebibyte / 8 }, (_, index) => [`.${index}`, null])),
    nested: listOf(`${'{"a":'.repeat(30)}0${'}'.repeat(30)}`, mebibyte / 181),
  };

  for (const [name, value] of Object.entries(fields))
    it(`is hardly larger than its JSON, and read as it was written: ${name}`, () => {
      const document = stored({ dependencies: value });
      const atMost = JSON.stringify(value).length + mebibyte / 2;
      expect(calculateObjectSize(document)).to.be.below(atMost);
      expect(JSON.stringify(decodeDocument(deserialize(serialize(document)) as typeof document))).to.equal(
        JSON.stringify({ dependencies: value }),
      );
    });

  it('leaves fields of ordinary size unchanged', () => {
    const metadata = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, [index]]));
    expect(encodeFields({ metadata })).to.deep.equal({ metadata });
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
