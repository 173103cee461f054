import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { AcknowledgingWorker } from '../../src/generator/groups.js';

const idOf = (number: number): string => `0mz8v1c2d${String(number).padStart(4, '0')}.abcdefghijklmnop`;

/** As the service writes it. */
const message = (number: number): Buffer => {
  const data = new Uint8Array(128).fill(number);
  const body = encode({ type: 'message', topic: 'a/b/c', data, msgId: idOf(number), requiresAck: true });
  return Buffer.concat([Buffer.from([0x82, 126, body.length >> 8, body.length & 0xff]), body]);
};

/** The ids in frames of one length. */
const acknowledged = (written: Buffer): readonly unknown[] => {
  const length = (written[1] as number) & 0x7f;
  const ids: unknown[] = [];
  for (let at = 0; at < written.length; at += 6 + length)
    ids.push((decode(written.subarray(at + 6, at + 6 + length)) as { msgId: unknown }).msgId);
  return ids;
};

describe('A worker that acknowledges', () => {
  it('acknowledges each message once, wherever the chunks end', () => {
    const written: Buffer[] = [];
    const connection = { write: (bytes: Buffer) => void written.push(bytes) } as unknown;
    let chunks = 0;
    const worker = new AcknowledgingWorker(
      connection as ConstructorParameters<typeof AcknowledgingWorker>[0],
      () => void (chunks += 1),
    );
    const stream = Buffer.concat([1, 2, 3, 4, 5].map(message));
    for (let at = 0; at < stream.length; at += 100) {
      const chunk = stream.subarray(at, at + 100);
      worker.receive(chunk, chunk.length);
    }
    expect(worker.received).to.equal(5);
    expect(acknowledged(Buffer.concat(written))).to.deep.equal([1, 2, 3, 4, 5].map(idOf));
    expect(chunks).to.equal(Math.ceil(stream.length / 100));
  });
});
