import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { isSameJson } from '../../src/policy/isSameJson.js';

const parsed = (text: string): unknown => JSON.parse(text);

describe('a comparison of JSON values', () => {
  it('goes by content, whatever the order of names', () => {
    expect(
      isSameJson(parsed('{"a":[1,{"b":null}],"c":"d"}'), parsed('{"c":"d","a":[1,{"b":null}]}')),
    ).to.equal(true);
    for (const [one, other] of [
      ['[1,2]', '[2,1]'],
      ['[]', '{}'],
      ['{"0":1}', '[1]'],
      ['null', '{}'],
      ['{"a":1}', '{"b":1}'],
      ['{"a":1}', '{"a":1,"b":1}'],
      ['{"toString":1}', '{"a":1}'],
      ['1', '"1"'],
    ] as const) {
      expect(isSameJson(parsed(one), parsed(other)), `${one} ${other}`).to.equal(false);
      expect(isSameJson(parsed(other), parsed(one)), `${other} ${one}`).to.equal(false);
    }
    expect(isSameJson({ a: undefined }, { b: undefined })).to.equal(false);
  });

  it('agrees with that of Node.js', () => {
    const small = fc.jsonValue({ maxDepth: 2 }).map((value) => parsed(JSON.stringify(value)));
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(isSameJson(one, other)).to.equal(isDeepStrictEqual(one, other));
        expect(isSameJson(one, structuredClone(one))).to.equal(true);
      }),
    );
  });
});
