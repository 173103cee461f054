import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import {
  encodeServerFrame,
  heartbeatFrame,
  messageBody,
  messageHead,
} from '../../../src/wire/protocol/encodeFrames.js';
import { binaryFrame } from '../../../src/wire/protocol/encodeFrames.js';

describe('a WebSocket frame', () => {
  const headers: [number, string][] = [
    [0, '8200'],
    [125, '827d'],
    [126, '827e007e'],
    [65_535, '827effff'],
    [65_536, '827f0000000000010000'],
  ];
  for (const [length, header] of headers) {
    it(`of ${length} bytes begins with ${header}`, () => {
      const payload = Buffer.alloc(length, 7);
      expect(binaryFrame(payload).equals(Buffer.concat([Buffer.from(header, 'hex'), payload]))).to.equal(
        true,
      );
    });
  }
});

describe('server frames', () => {
  it('[WS-CONN-2] are MessagePack in a binary frame, without fields that do not apply', () => {
    const frame = encodeServerFrame({ type: 'error', error: 'e', topic: undefined, msgRef: 'r' });
    expect(frame[0]).to.equal(0x82);
    expect(decode(frame.subarray(2))).to.deep.equal({ type: 'error', error: 'e', msgRef: 'r' });
  });

  it('[WS-BEAT-1] answer a heartbeat with an empty binary frame', () => {
    expect(heartbeatFrame.toString('hex')).to.equal('8200');
  });

  it('[WS-PUB-1] carry the data of a message unchanged', () => {
    const data = encode({ any: ['thing'] });
    const head = messageHead('a/b/c');
    expect(decode(messageBody(head, data))).to.deep.equal({
      type: 'message',
      topic: 'a/b/c',
      data: { any: ['thing'] },
    });
    expect(decode(messageBody(head, data, 'f'))).to.deep.equal({
      type: 'message',
      topic: 'a/b/c',
      data: { any: ['thing'] },
      filter: 'f',
    });
    expect(decode(messageBody(head, data)), 'the head is not changed by a filter').to.not.have.property(
      'filter',
    );
  });

  it('[WS-RECORD-1] carry the id of a message where messages are recorded', () => {
    const data = encode([1]);
    const head = messageHead('a/b/c');
    const message = { type: 'message', topic: 'a/b/c', data: [1], msgId: 'id', requiresAck: true };
    expect(decode(messageBody(head, data, undefined, 'id'))).to.deep.equal(message);
    expect(decode(messageBody(head, data, 'f', 'id'))).to.deep.equal({ ...message, filter: 'f' });
  });
});
