import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { liveMessages, retainedMessages, type LiveMessage } from '../../../src/wire/bus/liveMessage.js';

const message: LiveMessage = {
  id: 'message-1',
  room: 'p/app/_/room',
  topic: 'p/app/_/room/news',
  projectId: 'p',
  publisher: 'actor',
  qos: 1,
  filters: ['f'],
  body: Uint8Array.of(1, 2, 3),
  retention: undefined,
};

const retention = { stamp: '00000000z.gateway', appId: 'app', roomId: 'room', accessScopeId: null };

describe('a live message on the bus', () => {
  it('is keyed by its room', () => {
    expect(liveMessages.key(message)).to.equal('p/app/_/room');
  });

  it('is encoded and decoded without loss', () => {
    expect(liveMessages.codec.decode(liveMessages.codec.encode(message))).to.deep.equal(message);
  });

  it('[WS-RETAIN-1] that is retained is encoded and decoded without loss on both channels', () => {
    for (const accessScopeId of [null, 'scope']) {
      const retained = { ...message, retention: { ...retention, accessScopeId } };
      const bytes = retainedMessages.codec.encode(retained);
      expect(retainedMessages.codec.decode(bytes)).to.deep.equal(retained);
      expect(liveMessages.codec.decode(bytes)).to.deep.equal(retained);
    }
  });

  it('[WS-RETAIN-1] that is not retained is refused on the channel of retained values', () => {
    expect(() => retainedMessages.codec.decode(liveMessages.codec.encode(message))).to.throw(
      'Not a retained message',
    );
  });

  const strangers: Record<string, unknown> = {
    'a later version': [3, 'r', 't', 'p', 'a', 1, [], new Uint8Array(), null, 'id'],
    'version 1, which had no id': [1, 'r', 't', 'p', 'a', 1, [], new Uint8Array(), null],
    'version 2 without an id': [2, 'r', 't', 'p', 'a', 1, [], new Uint8Array(), null],
    'something else': { room: 'r' },
    'a short record': [2, 'r', 't'],
    'fields of the wrong type': [2, 'r', 't', 'p', 'a', 1, [7], new Uint8Array(), null, 'id'],
    'half a retention': [2, 'r', 't', 'p', 'a', 1, [], new Uint8Array(), ['stamp', 'app'], 'id'],
    'a retention of the wrong type': [
      2,
      'r',
      't',
      'p',
      'a',
      1,
      [],
      new Uint8Array(),
      ['s', 'a', 'r', 7],
      'id',
    ],
    'a text for a body': [2, 'r', 't', 'p', 'a', 1, [], 'body', null, 'id'],
  };
  for (const [what, record] of Object.entries(strangers)) {
    it(`is not read from ${what}`, () => {
      expect(() => liveMessages.codec.decode(encode(record))).to.throw('Not a live message');
    });
  }
});
