import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { acknowledgedFrame, dataBytes, stampedSequence } from '../../src/generator/message.js';

describe('A sequence of publish frames', () => {
  it('is the frame again and again, each with its stamp at the beginning of the data', () => {
    const frame = acknowledgedFrame('app/room/load');
    const headerBytes = 8;
    const sequence = stampedSequence(frame, [1.5, 7]);
    const payloads = [0, 1].map((n) =>
      sequence.subarray(n * frame.length + headerBytes, (n + 1) * frame.length),
    );
    const frames = payloads.map((bytes) => decode(bytes) as { msgRef: string; data: Uint8Array });
    for (const { msgRef, data } of frames) {
      expect(msgRef).to.equal('1');
      expect(data).to.have.length(dataBytes);
    }
    const stamps = frames.map(({ data }) => Buffer.from(data).readDoubleLE());
    expect(stamps).to.deep.equal([1.5, 7]);
  });
});
