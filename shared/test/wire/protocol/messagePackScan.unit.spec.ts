import { Buffer, isUtf8 } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { isSoundMessagePack, scanFields } from '../../../src/wire/protocol/messagePackScan.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

const nestedArrays = (levels: number): Buffer =>
  Buffer.concat([Buffer.alloc(levels, 0x91), Buffer.from([0xc0])]);

/** What MessagePack can carry, but for keys that decoders refuse. */
const value = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double(),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.date({ noInvalidDate: true }),
    fc.array(tie('tree'), { maxLength: 20 }),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('tree'),
      { maxKeys: 20 },
    ),
  ),
})).tree;

describe('the scan of MessagePack', () => {
  it('[WS-ENC-1] accepts the encoding of any value', () => {
    fc.assert(fc.property(value, (any) => isSoundMessagePack(encode(any))));
  });

  it('[WS-ENC-1] accepts nothing that the decoder refuses', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.tuple(value, fc.nat(), fc.nat(255)).map(([any, at, byte]) => {
        const mutated = encode(any);
        mutated[at % mutated.length] = byte;
        return mutated;
      }),
    );
    const property = fc.property(bytes, (any) => {
      if (isSoundMessagePack(any)) decode(any);
    });
    fc.assert(property, { numRuns: 5_000 });
  });

  const refused: Record<string, Buffer> = {
    nothing: hex(''),
    'the byte 0xc1': hex('c1'),
    'bytes after the value': hex('c0 c0'),
    'a cut length': hex('dd 00 00'),
    'a cut string': hex('a5 61'),
    'a cut number': hex('cf 00 00'),
    'text that is no UTF-8': hex('a2 c3 28'),
    'half a surrogate pair': hex('a3 ed a0 80'),
    'an extension': hex('d4 05 00'),
    'a timestamp of an impossible length': hex('d4 ff 00'),
    'an extension of 4 GiB': hex('c9 ff ff ff ff ff'),
    'a nil key': hex('81 c0 c0'),
    'a binary key': hex('81 c4 01 61 c0'),
    'a map as a key': hex('81 80 c0'),
    'the key __proto__': Buffer.from(encode(JSON.parse('{"a":[{"__proto__":1}]}'))),
    'the key __proto__, its length in a byte': Buffer.concat([
      hex('81 d9 09'),
      Buffer.from('__proto__'),
      hex('c0'),
    ]),
    'an array of 30 million in 5 bytes': hex('dd 01 c9 c3 80'),
    '200 arrays of a million inside one another': Buffer.concat(
      Array<Buffer>(200).fill(hex('dd 00 0f 42 40')),
    ),
    '24,000 arrays of 65,535 inside one another': Buffer.concat(Array<Buffer>(24_000).fill(hex('dc ff ff'))),
    '65 levels': nestedArrays(65),
    'a million levels': nestedArrays(1_000_000),
    'arrays that are full each, and too much together': Buffer.concat([
      hex('92 dc 00 0a'),
      Buffer.alloc(8),
      hex('dc 00 0a'),
      Buffer.alloc(8),
    ]),
  };
  for (const [what, bytes] of Object.entries(refused)) {
    it(`[WS-ENC-1] refuses ${what}`, () => {
      expect(isSoundMessagePack(bytes)).to.equal(false);
    });
  }

  it('[WS-ENC-1] agrees with Node on which short strings are UTF-8', () => {
    const pieces = fc.constantFrom(
      ...[
        '61',
        'c3a9',
        'e282ac',
        'f09f9880',
        'c0af',
        'c1bf',
        'e08080',
        'eda080',
        'ed9fbf',
        'f0808080',
        'f4908080',
      ],
      ...['f48fbfbf', 'f5', 'ff', '80', 'c3', 'e282', 'f09f98', 'e0a080', 'f0908080'],
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 6 }).map((parts) => Buffer.from(parts.join(''), 'hex')),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    );
    const property = fc.property(text, (bytes) => {
      const string = Buffer.concat([Buffer.of(0xd9, bytes.length), bytes]);
      expect(isSoundMessagePack(string)).to.equal(isUtf8(bytes));
    });
    fc.assert(property, { numRuns: 20_000 });
  });

  it('[WS-ENC-1] refuses hostile input without working on it', () => {
    const hostile = Buffer.concat(Array<Buffer>(200_000).fill(hex('dd 00 0f 42 40')));
    const memory = process.memoryUsage.rss();
    const start = process.hrtime.bigint();
    for (let round = 0; round < 100; round++) isSoundMessagePack(hostile);
    expect(Number(process.hrtime.bigint() - start) / 1e6 / 100).to.be.below(5);
    expect(process.memoryUsage.rss() - memory).to.be.below(16_000_000);
  });

  const taken: Record<string, Buffer> = {
    '64 levels': nestedArrays(64),
    'a key that ends in __proto__': Buffer.from(encode({ x__proto__: 1 })),
    'integer keys': hex('82 01 c0 d1 ff 00 c0'),
    timestamps: Buffer.from(encode([new Date(0), new Date(1e11 + 1), new Date(-1)])),
    'NaN and the infinities': Buffer.from(encode([NaN, Infinity, -Infinity])),
    'the largest integers': hex('92 cf ff ff ff ff ff ff ff ff d3 80 00 00 00 00 00 00 00'),
  };
  for (const [what, bytes] of Object.entries(taken)) {
    it(`[WS-ENC-1] accepts ${what}`, () => {
      expect(isSoundMessagePack(bytes)).to.equal(true);
    });
  }

  it('finds the positions of the values of a map', () => {
    const frame = encode({ type: 'publish', data: { a: [1, 'b'] }, ['n'.repeat(40)]: true });
    const { spans } = scanFields(frame);
    const values = spans.map(({ name, start, end }) => [name, decode(frame.subarray(start, end))]);
    expect(values).to.deep.equal([
      ['type', 'publish'],
      ['data', { a: [1, 'b'] }],
      ['n'.repeat(32), true],
    ]);
  });

  it('[WS-ENC-4] finds no fields in anything but a map of at most 64', () => {
    const fields = (count: number) =>
      scanFields(encode(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]))));
    const none = { isSound: false, spans: [] };
    expect(fields(64)).to.include({ isSound: true });
    expect(fields(64).spans).to.have.length(64);
    expect(fields(65)).to.deep.equal(none);
    expect(scanFields(encode(['type']))).to.deep.equal(none);
    expect(scanFields(encode('type'))).to.deep.equal(none);
    expect(scanFields(new Uint8Array())).to.deep.equal(none);
  });
});
