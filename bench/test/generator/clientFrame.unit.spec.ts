import { Buffer } from 'node:buffer';
import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { clientFrame } from '../../src/generator/clientFrame.js';
import { dataBytes, publishFrame, stamped, stampFromEnd } from '../../src/generator/message.js';

describe('A frame of the generator', () => {
  const heads: readonly [length: number, head: readonly number[]][] = [
    [5, [0x82, 0x85, 0, 0, 0, 0]],
    [200, [0x82, 0xfe, 0, 200, 0, 0, 0, 0]],
    [65_536, [0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]],
  ];

  for (const [length, head] of heads) {
    it(`with ${length} bytes is final, binary and masked with zeros`, () => {
      const bytes = clientFrame(Buffer.alloc(length, 7));
      expect([...bytes.subarray(0, head.length)]).to.deep.equal(head);
      expect(bytes.subarray(head.length)).to.deep.equal(Buffer.alloc(length, 7));
    });
  }

  it('publishes 128 bytes that can be stamped in place', () => {
    const plain = publishFrame('app/hall/load');
    const bytes = stamped(plain, 1234.5);
    expect(bytes).to.have.length(plain.length);
    expect(bytes.readDoubleLE(bytes.length - stampFromEnd)).to.equal(1234.5);
    expect(plain.readDoubleLE(plain.length - stampFromEnd)).to.equal(0);
    const { type, topic, data } = decode(bytes.subarray(8)) as Record<string, unknown>;
    expect([type, topic]).to.deep.equal(['publish', 'app/hall/load']);
    expect(data).to.have.length(dataBytes);
  });
});
