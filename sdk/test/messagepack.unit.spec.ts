import { decode as decodeByLibrary, encode as encodeByLibrary } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { decode } from '../src/messagepack/decode.js';
import { encode } from '../src/messagepack/encode.js';

const maxDepth = 100;
const encoded = (value: unknown): Uint8Array => encode(value, { maxDepth });

/** Each side of every size at which the form of a number or of a length changes. */
const edges = [
  ...[0x1f, 0x20, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000],
  ...[0xffffffff, 0x100000000, 2 ** 34 - 1, 2 ** 34, 2 ** 53 - 1, 2 ** 53],
].flatMap((edge) => [edge, -edge, -edge - 1]);

const lengths = [0, 1, 15, 16, 31, 32, 63, 64, 65, 255, 256, 511, 512, 513, 65_535, 65_536];

/** Without -0, of which neither writes the sign. */
const numbers = fc
  .oneof(fc.constantFrom(...edges), fc.integer(), fc.maxSafeInteger(), fc.double(), fc.float())
  .map((number) => number + 0);
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ maxLength: 100 }),
  fc.constantFrom('\ufeffbehind a byte order mark', `\ufeff${'long '.repeat(40)}`),
);
const times = fc.oneof(
  fc.date({ noInvalidDate: true }),
  fc.constantFrom(-1, 0, 1, 2 ** 32 * 1000, 2 ** 34 * 1000 - 1, 2 ** 34 * 1000).map((at) => new Date(at)),
);
const { tree: values } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    ...[numbers, texts, times, fc.uint8Array({ maxLength: 300 })],
    fc.array(tie('tree'), { maxLength: 40 }),
    fc.dictionary(
      texts.filter((key) => key !== '__proto__'),
      tie('tree'),
      { maxKeys: 40 },
    ),
  ),
}));

describe('MessagePack, beside the library', () => {
  it('writes the same bytes for any value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(encoded(value)).to.deep.equal(encodeByLibrary(value, { maxDepth }).slice());
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads any value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(decode(encodeByLibrary(value))).to.deep.equal(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads numbers in forms that it does not write', () => {
    for (const bytes of [
      ...[0xcc, 0xd0].map((head) => [head, 0xff]),
      ...[0xcd, 0xd1].map((head) => [head, 0xff, 0xfe]),
      ...[0xce, 0xd2, 0xca].map((head) => [head, 0xc0, 0xff, 0xfe, 1]),
      ...[0, 0xff].map((byte) => [0xd3, byte, byte, byte, byte, byte, byte, byte, 0xfe]),
      [0xcf, 0, 0, 0, 0, 0, 0, 0, 0xfe],
    ])
      expect(decode(Uint8Array.from(bytes))).to.equal(decodeByLibrary(bytes));
  });

  it('has integers of 64 bits with every digit, as numbers where these hold them', () => {
    const range = { min: -(2n ** 63n), max: 2n ** 64n - 1n };
    const integers = fc.oneof(fc.bigInt(range), fc.maxSafeInteger().map(BigInt));
    fc.assert(
      fc.property(
        fc.oneof(integers, fc.constantFrom(range.min, range.max, 2n ** 53n, -(2n ** 53n) - 1n)),
        (integer) => {
          const isSmall = BigInt.asIntN(54, integer) === integer;
          const bytes = encoded(integer);
          expect(decode(bytes)).to.equal(isSmall ? Number(integer) : integer);
          if (isSmall) expect(bytes).to.deep.equal(encoded(Number(integer)));
          else expect(bytes).to.deep.equal(encodeByLibrary(integer, { useBigInt64: true }).slice());
        },
      ),
    );
    for (const integer of [range.min - 1n, range.max + 1n])
      expect(() => encoded(integer)).to.throw(RangeError);
  });

  for (const length of lengths)
    it(`has texts, bytes, arrays and maps of ${length}`, () => {
      const keys = Array.from({ length }, (_, index) => [`k${index}`, index]);
      for (const value of [
        'x'.repeat(length),
        `${'x'.repeat(length)}é`,
        'é'.repeat(length),
        new Uint8Array(length).fill(7),
        new Array(length).fill(null),
        Object.fromEntries(keys),
      ]) {
        const bytes = encoded(value);
        expect(bytes).to.deep.equal(encodeByLibrary(value).slice());
        expect(decode(bytes)).to.deep.equal(value);
      }
    });

  it('writes views of bytes of any kind, also those that begin inside their buffer', () => {
    const { buffer } = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    for (const view of [new Uint16Array(buffer, 2, 2), new DataView(buffer, 3)])
      expect(encoded(view)).to.deep.equal(encodeByLibrary(view).slice());
  });

  it('reads from the middle of a buffer', () => {
    expect(decode(Uint8Array.of(0, 0xcd, 1, 2, 0).subarray(1, 4))).to.equal(258);
  });

  it('leaves out fields that are undefined', () => {
    const value = { a: undefined, b: [undefined] };
    expect(encoded(value)).to.deep.equal(encodeByLibrary(value, { ignoreUndefined: true }).slice());
  });

  it('counts levels as the library does', () => {
    for (const value of [[[1]], [{ a: 1 }], [[]]])
      for (const depth of [1, 2, 3]) {
        const fits = (write: () => unknown): boolean => {
          try {
            return write() !== undefined;
          } catch {
            return false;
          }
        };
        const options = { maxDepth: depth };
        expect(fits(() => encode(value, options))).to.equal(fits(() => encodeByLibrary(value, options)));
      }
  });

  it('refuses what is no value, or not one that the client has', () => {
    const refused: Record<string, readonly number[]> = {
      'a type that does not exist': [0xc1],
      'nothing at all': [],
      'a text that is cut off': [0xa3, 0x61],
      'a number that is cut off': [0xcf, 0, 0, 0, 0, 1],
      'something behind the value': [0xc0, 0xc0],
      'the key __proto__': [0x81, 0xa9, ...Buffer.from('__proto__'), 1],
      'a key that is a list': [0x81, 0x90, 1],
      'an extension': [0xd4, 5, 0],
      'a time of no known size': [0xd4, 0xff, 0],
    };
    for (const [what, bytes] of Object.entries(refused))
      expect(() => decode(Uint8Array.from(bytes)), what).to.throw();
  });

  it('reads what is nested deeper than its stack as an error', () => {
    expect(() => decode(new Uint8Array(1_000_000).fill(0x91))).to.throw(RangeError);
  });
});
