import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { jsonValueOf } from '../../../src/wire/protocol/jsonValue.js';

const valueOf = (value: unknown): unknown => jsonValueOf(encode(value, { useBigInt64: true }))?.value;
const bytes = (...values: number[]): unknown => jsonValueOf(Uint8Array.from(values));

describe('[HTTP-HIST-1] MessagePack as a JSON value', () => {
  it('is what was published where that was JSON', () => {
    // The key __proto__ is published by nobody: it is refused.
    const json = fc
      .jsonValue()
      .map((value) => JSON.stringify(value))
      .filter((text) => !text.includes('__proto__'))
      .map((text): unknown => JSON.parse(text));
    fc.assert(fc.property(json, (value) => void expect(valueOf(value)).to.eql(value)));
  });

  it('has numbers of any width, as long as JSON readers read them exactly', () => {
    expect(valueOf(2n ** 53n - 1n)).to.equal(Number.MAX_SAFE_INTEGER);
    expect(valueOf(-(2n ** 40n))).to.equal(-(2 ** 40));
    expect(bytes(0xca, 0x3f, 0xc0, 0, 0)).to.eql({ value: 1.5 });
    for (const beyond of [2n ** 53n, -(2n ** 53n), 2n ** 64n - 1n])
      expect(valueOf({ a: [beyond] })).to.equal(undefined);
  });

  it('is none for what JSON has no word for, wherever it stands', () => {
    const others = [
      Uint8Array.of(1),
      new Date(0),
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ];
    for (const other of others)
      for (const value of [other, [other], { a: { b: [1, other] } }])
        expect(jsonValueOf(encode(value))).to.equal(undefined);
    expect(bytes(0x81, 1, 2)).to.equal(undefined);
  });

  it('knows null from nothing', () => {
    expect(bytes(0xc0)).to.eql({ value: null });
  });
});
