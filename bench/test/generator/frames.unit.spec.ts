import { Buffer } from 'node:buffer';
import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import {
  acknowledgedFrame,
  clientFrame,
  dataBytes,
  FrameWalker,
  publishFrame,
  stamped,
  stampedSequence,
  stampFromEnd,
} from '../../src/generator/frames.js';

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

type Seen = readonly [opcode: number, length: number, stamp: number];

const frame = (length: number, opcode = 2): Buffer => {
  const header = Buffer.from(
    length < 126
      ? [0x80 | opcode, length]
      : length < 65_536
        ? [0x80 | opcode, 126, length >> 8, length & 0xff]
        : [
            0x80 | opcode,
            127,
            0,
            0,
            0,
            0,
            length >>> 24,
            (length >> 16) & 0xff,
            (length >> 8) & 0xff,
            length & 0xff,
          ],
  );
  return Buffer.concat([header, Buffer.alloc(length, 0xee)]);
};

const stampedFrame = (length: number, stamp: number, fromEnd: number): Buffer => {
  const bytes = frame(length);
  bytes.writeDoubleLE(stamp, bytes.length - fromEnd);
  return bytes;
};

/** Passes the bytes in chunks of a size, each in a buffer that is overwritten afterwards. */
const walk = (bytes: Buffer, chunkSize: number, stampFromEnd = 0): readonly Seen[] => {
  const seen: Seen[] = [];
  const walker = new FrameWalker({ onFrame: (...frameSeen) => void seen.push(frameSeen) });
  walker.stampFromEnd = stampFromEnd;
  const chunk = Buffer.alloc(chunkSize + 5);
  for (let at = 0; at < bytes.length; at += chunkSize) {
    const end = bytes.copy(chunk, 0, at, at + chunkSize);
    walker.walk(chunk, end);
    chunk.fill(0xff);
  }
  return seen;
};

describe('The frame walker', () => {
  const lengths = [0, 1, 125, 126, 127, 200, 65_535, 65_536, 70_000, 0];
  const stream = Buffer.concat(lengths.map((length) => frame(length)));

  for (const chunkSize of [1, 2, 3, 7, 130, 4_096, 65_539, stream.length]) {
    it(`finds headers of 2, 4 and 10 bytes in chunks of ${chunkSize}`, () => {
      expect(walk(stream, chunkSize).map(([, length]) => length)).to.deep.equal(lengths);
    });
  }

  it('returns the opcode', () => {
    const bytes = Buffer.concat([frame(3, 1), frame(200, 2), frame(2, 8)]);
    expect(walk(bytes, 6).map(([opcode]) => opcode)).to.deep.equal([1, 2, 8]);
  });

  it('returns nothing of an incomplete frame', () => {
    expect(walk(frame(200).subarray(0, 203), 50)).to.deep.equal([]);
  });

  for (let chunkSize = 1; chunkSize <= 40; chunkSize += 1) {
    it(`reads the stamp wherever chunks of ${chunkSize} cut it`, () => {
      const bytes = Buffer.concat([
        stampedFrame(32, 1.5, 16),
        stampedFrame(140, 2.25, 16),
        stampedFrame(16, 3, 16),
      ]);
      expect(walk(bytes, chunkSize, 16).map(([, , stamp]) => stamp)).to.deep.equal([1.5, 2.25, 3]);
    });
  }

  it('reads no stamp from a frame that is too short for one, or when none is expected', () => {
    expect(walk(frame(15), 4, 16)).to.deep.equal([[2, 15, 0]]);
    expect(walk(stampedFrame(32, 1.5, 16), 32)).to.deep.equal([[2, 32, 0]]);
  });

  it('refuses a masked frame', () => {
    expect(() => walk(Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1]), 7)).to.throw('masked');
  });
});

describe('A sequence of publish frames', () => {
  it('repeats the frame, each with its stamp at the start of the data', () => {
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
