import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { dataBytes } from '../../../src/generator/frames.js';
import { NatsWalker } from '../../../src/generator/wires/natsWire.js';
import { serverFrame } from './serverFrame.js';

describe('The scan of NATS records', () => {
  const record = (stamp: number): Buffer => {
    const data = Buffer.alloc(dataBytes, 0x2e);
    data.writeDoubleLE(stamp, 0);
    return Buffer.concat([Buffer.from(`MSG a/b/c 1 ${dataBytes}\r\n`), data, Buffer.from('\r\n')]);
  };
  const frame = (payload: Buffer): Buffer => serverFrame(payload, 2);
  const stampsIn = (chunks: readonly Buffer[]): readonly number[] => {
    const stamps: number[] = [];
    const walker = new NatsWalker({ onFrame: (_opcode, _length, stamp) => void stamps.push(stamp) });
    walker.stampFromEnd = dataBytes + 2;
    for (const chunk of chunks) walker.walk(chunk, chunk.length);
    return stamps;
  };
  const stamps = [1.5, 2.5, 3.5];
  const stream = Buffer.concat(stamps.map(record));

  it('finds every record and its stamp, wherever frames and chunks end', () => {
    for (let cut = 1; cut < stream.length; cut += 1) {
      const bytes = Buffer.concat([frame(stream.subarray(0, cut)), frame(stream.subarray(cut))]);
      expect(stampsIn([bytes]), `frames cut at ${cut}`).to.deep.equal(stamps);
      expect(stampsIn([bytes.subarray(0, cut), bytes.subarray(cut)]), `chunks at ${cut}`).to.deep.equal(
        stamps,
      );
    }
    expect(stampsIn([...frame(stream)].map((byte) => Buffer.from([byte])))).to.deep.equal(stamps);
  });

  it('reads long frames', () => {
    const many = Array.from({ length: 600 }, (_, index) => index);
    expect(stampsIn([frame(Buffer.concat(many.map(record)))])).to.deep.equal(many);
  });

  it('refuses other commands', () => {
    expect(() => stampsIn([frame(Buffer.from('PING\r\n'))])).to.throw('besides messages');
  });
});
