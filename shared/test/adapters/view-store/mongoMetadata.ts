import fc from 'fast-check';

type Metadata = Record<string, unknown>;

const oddKeys = [
  '$set',
  '$',
  'a.b',
  '.',
  '',
  '_id',
  '_term',
  '__proto__',
  '_bsontype',
  '%json',
  '%',
  '%24',
  'a\0b',
  'toBSON',
  '\ud800',
  '%u0041',
  'constructor',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  '0',
];

const key = fc.oneof(fc.constantFrom(...oddKeys), fc.string({ unit: 'binary', maxLength: 6 }));

/** Lone surrogates too: JSON can spell them. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud800', 'a\udfffb', '\0', '$x'),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    fc.maxSafeInteger(),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** What `JSON.parse` can make of what a user sends. */
export const anyMetadata: fc.Arbitrary<Metadata> = fc
  .dictionary(key, value, { noNullPrototype: true })
  .map((metadata) => JSON.parse(JSON.stringify(metadata)) as Metadata);

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inner, _, level) => (level % 2 ? { inner } : [inner]), 'bottom');

export const oddMetadata: Readonly<Record<string, Metadata>> = {
  'keys that mean something to MongoDB or JavaScript': JSON.parse(
    `{${oddKeys.map((each, n) => `${JSON.stringify(each)}:${n}`).join()}}`,
  ) as Metadata,
  'lists under inherited names': { constructor: [{}, 1], toString: [[]], valueOf: ['x'] },
  'what looks like a type of the driver': { value: { _bsontype: 'ObjectId', id: 'x' }, $oid: 'y', $date: 0 },
  'what looks like a value kept as text': { '%json': '{"a":1}', deep: { '%json': 'not json' } },
  'lists in lists': { grid: [[1, [2, [3]]], [], [{ a: [[]] }]] },
  'deep nesting': { deep: nested(150) },
  'strings of any UTF-16': { 'lone \ud800 key': 'lone \udc00 value', list: ['\ud83d', '😀'] },
  'numbers at the limits': { list: [Number.MAX_SAFE_INTEGER, -(2 ** 31), 2 ** 31, 1e300, 5e-324, 0.1] },
  'a hundred kilobytes': { text: 'é'.repeat(50_000) },
};
