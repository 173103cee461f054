import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { maxFrameFields } from '../../../src/wire/protocol/limits.js';
import { parseFrame } from '../../../src/wire/protocol/parseFrame.js';

const ack = { type: 'ack', msgId: 'm' };
const framed = (fields: number): object => ({
  ...Object.fromEntries(Array.from({ length: fields - 2 }, (_, index) => [`unknown${index}`, index])),
  ...ack,
});
const encodings = {
  binary: (frame: object) => parseFrame(Buffer.from(encode(frame)), false),
  text: (frame: object) => parseFrame(Buffer.from(JSON.stringify(frame)), true),
};

for (const [encoding, parse] of Object.entries(encodings)) {
  describe(`the fields of a ${encoding} frame`, () => {
    it(`[WS-ENC-4] are at most ${maxFrameFields}`, () => {
      expect(parse(framed(maxFrameFields))).to.deep.equal(ack);
      expect(parse(framed(maxFrameFields + 1))).to.include({ type: 'malformed', error: 'invalidFrame' });
    });
  });
}

describe('too many fields in a text frame', () => {
  it('[WS-ENC-5] leave its msgRef readable', () => {
    const frame = { ...framed(maxFrameFields), topic: 'a/b/c', msgRef: 'r' };
    expect(encodings.text(frame)).to.include({ type: 'malformed', topic: 'a/b/c', msgRef: 'r' });
  });
});

describe('an integer as the name of a field', () => {
  it('[WS-ENC-4] is no known field, whatever its bytes spell', () => {
    const integerKey = (name: string): Buffer =>
      Buffer.concat([Buffer.of(0xce), Buffer.from(name, 'latin1')]);
    const pairs = [
      encode('type'),
      encode('ack'),
      encode('msgId'),
      encode('m'),
      integerKey('type'),
      encode('x'),
    ];
    const frame = Buffer.concat([Buffer.of(0x83), ...pairs]);
    expect(parseFrame(frame, false)).to.deep.equal(ack);
  });
});
