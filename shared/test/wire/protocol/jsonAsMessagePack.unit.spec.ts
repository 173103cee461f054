import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { jsonAsMessagePack } from '../../../src/wire/protocol/jsonAsMessagePack.js';
import { isSoundMessagePack } from '../../../src/wire/protocol/messagePackScan.js';

const transcoded = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text);
  return jsonAsMessagePack(bytes, 0, bytes.length);
};

describe('JSON as MessagePack', () => {
  it('[WS-ENC-3] is what a decoder makes of it, for any JSON', () => {
    const json = fc
      .tuple(fc.json({ stringUnit: 'grapheme', noUnicodeString: false } as object), fc.nat(3))
      .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent));
    const property = fc.property(json, (text) => {
      fc.pre(!text.includes('__proto__'));
      const bytes = transcoded(text) as Uint8Array;
      expect(isSoundMessagePack(bytes)).to.equal(true);
      expect(decode(bytes)).to.deep.equal(decode(encode(JSON.parse(text))));
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  const same = [
    ...[
      '0',
      '-0',
      '1',
      '127',
      '128',
      '255',
      '256',
      '65535',
      '65536',
      '4294967295',
      '4294967296',
      '12345678901',
    ],
    ...['-1', '-32', '-33', '-128', '-129', '-32768', '-32769', '-2147483648', '-2147483649'],
    ...[
      '9007199254740991',
      '-9007199254740991',
      '9007199254740992',
      '1e3',
      '1E+3',
      '1.0',
      '1.5',
      '-0.1',
      '1e400',
    ],
    ...['0.1', '5e-9', '123456789012345678901234567890', '999999999', '1000000000', 'true', 'false', 'null'],
    ...[31, 32, 33, 255, 256, 65_535, 65_536, 100_000].map((length) => `"${'x'.repeat(length)}"`),
    ...[15, 16, 65_535, 65_536].map((length) => `[${new Array<number>(length).fill(1).join()}]`),
    `{${Array.from({ length: 20 }, (_, at) => `"k${at}":${at}`).join()}}`,
    ' [ ] ',
    '{ }',
    '[[],{},[ ],{ "a" : [ { } ] }]',
    String.raw`"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00\uD83D\uDE00"`,
    `"${'é'.repeat(100)}${String.raw`\n`}"`,
    `["${'x'.repeat(100)}","${'y'.repeat(40)}\\"z","${'w'.repeat(50)}"]`,
    `"${'\\"'.repeat(60)}"`,
  ];
  for (const text of same) {
    it(`[WS-ENC-3] has the bytes of the encoder: ${text.slice(0, 40)}`, () => {
      expect(Buffer.from(transcoded(text) as Uint8Array)).to.deep.equal(
        Buffer.from(encode(JSON.parse(text))),
      );
    });
  }

  it('[WS-ENC-2] has no key __proto__, however it is written, and may have it as a value', () => {
    for (const text of [
      '{"__proto__":1}',
      String.raw`[{"a":{"\u005f_proto__" : 1}}]`,
      '{"a":1,"__proto__" :{}}',
    ])
      expect(transcoded(text), text).to.equal(undefined);
    for (const text of ['"__proto__"', '["__proto__"]', '{"a":"__proto__"}', '{"__proto_":1,"__proto___":2}'])
      expect(transcoded(text), text).to.not.equal(undefined);
  });

  it('keeps the order of keys, and a key that is there twice', () => {
    expect(Buffer.from(transcoded('{"b":1,"2":2,"b":3}') as Uint8Array).toString('latin1')).to.equal(
      '\x83\xa1b\x01\xa12\x02\xa1b\x03',
    );
  });

  it('takes a part of the bytes only, and gives bytes of their own', () => {
    const bytes = Buffer.from('[1,[2,3],"x"]');
    const [first, second] = [jsonAsMessagePack(bytes, 3, 8), jsonAsMessagePack(bytes, 9, 12)];
    expect([first, second]).to.deep.equal([Uint8Array.of(0x92, 2, 3), Uint8Array.of(0xa1, 0x78)]);
  });
});
