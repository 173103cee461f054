import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { liveMessages, type LiveMessage } from '../../../src/contracts/bus/liveMessage.js';

const message: LiveMessage = {
  room: 'p/app/_/room',
  topic: 'p/app/_/room/news',
  projectId: 'p',
  publisher: 'actor',
  qos: 1,
  filters: ['f'],
  body: Uint8Array.of(1, 2, 3),
};

describe('a live message on the bus', () => {
  it('is keyed by its room', () => {
    expect(liveMessages.key(message)).to.equal('p/app/_/room');
  });

  it('survives an engine', () => {
    expect(liveMessages.codec.decode(liveMessages.codec.encode(message))).to.deep.equal(message);
  });

  const strangers: Record<string, unknown> = {
    'a later version': [2, 'r', 't', 'p', 'a', 1, [], new Uint8Array()],
    'something else': { room: 'r' },
    'a short record': [1, 'r', 't'],
    'fields of the wrong type': [1, 'r', 't', 'p', 'a', 1, [7], new Uint8Array()],
    'a text for a body': [1, 'r', 't', 'p', 'a', 1, [], 'body'],
  };
  for (const [what, record] of Object.entries(strangers)) {
    it(`is not read from ${what}`, () => {
      expect(() => liveMessages.codec.decode(encode(record))).to.throw('Not a live message');
    });
  }
});
