import fc from 'fast-check';
import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { RoomwireError } from '../src/errors.js';
import { decodeFrame, encodeFrame } from '../src/protocol/codec.js';
import type { ClientFrame } from '../src/protocol/clientFrames.js';
import { protocolError } from '../src/protocol/protocolError.js';

const publish = (data: unknown): ClientFrame => ({
  type: 'publish',
  topic: 'a/b/c',
  data,
  qos: undefined,
  retain: undefined,
  filter: undefined,
  filters: undefined,
  msgRef: '1',
  id: undefined,
  deliverAt: undefined,
});

const errorOf = (action: () => unknown): RoomwireError => {
  try {
    action();
  } catch (error) {
    return error as RoomwireError;
  }
  throw new Error('Nothing was thrown');
};

describe('encodeFrame', () => {
  it('omits undefined fields', () => {
    expect(decode(encodeFrame(publish({ text: 'hi', extra: undefined })))).to.deep.equal({
      type: 'publish',
      topic: 'a/b/c',
      data: { text: 'hi' },
      msgRef: '1',
    });
  });

  it('refuses what MessagePack cannot represent', () => {
    for (const data of [() => 1, Symbol('s'), 2n ** 64n, circular()])
      expect(errorOf(() => encodeFrame(publish(data)))).to.include({ error: 'invalid_data', topic: 'a/b/c' });
  });

  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
  const unreadable: Record<string, unknown> = {
    'the key __proto__': JSON.parse('{"a":[{"__proto__":1}]}') as unknown,
    'half a surrogate pair': 'text \ud800',
    'half a surrogate pair in a key': { '\udc00': 1 },
    'half a surrogate pair in a long text': ['x'.repeat(1_000) + '\ud83d'],
    '65 levels, the frame included': nested(64),
  };
  for (const [what, data] of Object.entries(unreadable))
    it(`[WS-ENC-1] refuses ${what}, as the server would`, () => {
      expect(errorOf(() => encodeFrame(publish(data)))).to.include({ error: 'invalid_data', topic: 'a/b/c' });
    });

  it('[WS-ENC-1] accepts 64 levels, whole pairs, time stamps and bytes', () => {
    for (const data of [nested(63), 'smile \ud83d\ude00', new Date(0), Uint8Array.of(1)])
      expect(decode(encodeFrame(publish(data)))).to.deep.include({ data });
  });

  it('refuses a frame for which the server would end the connection', () => {
    const error = errorOf(() => encodeFrame(publish(new Uint8Array(1_048_576))));
    expect(error).to.include({ error: 'message_too_large', code: 42930, maxSizeBytes: 921_600 });
  });

  it('leaves the validation of data that a frame can hold to the server', () => {
    expect(encodeFrame(publish(new Uint8Array(921_601))).length).to.be.above(921_601);
  });
});

describe('decodeFrame', () => {
  const undecodable: [string, Uint8Array | string][] = [
    ['a text frame', '{"type":"auth"}'],
    ['bytes that are no MessagePack', Uint8Array.of(0xc1)],
    ['a frame that is cut off', encode({ type: 'message' }).subarray(0, 5)],
    ['a frame with something behind it', Uint8Array.of(...encode({ type: 'x' }), 0)],
    ['an array that claims more entries than there are bytes', Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff)],
    ['a map that claims more entries than there are bytes', Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff)],
    ['a value that is no map', encode(['message'])],
    ['null', encode(null)],
    ['a map without a type', encode({ topic: 'a/b/c' })],
    ['a message without a topic', encode({ type: 'message', data: 1 })],
    ['a topic that is no text', encode({ type: 'subscribed', topic: 7 })],
    ['a message whose meta is no map', encode({ type: 'message', topic: 'a/b/c', meta: 'm1' })],
    ['a message whose meta has no id', encode({ type: 'message', topic: 'a/b/c', meta: { at: 1 } })],
    ['an auth reply without an actor', encode({ type: 'auth', success: true })],
  ];

  const identity = { actorTokenId: 'i', projectId: 'p', actorType: 'agent' };
  const accepted = { type: 'auth', success: true, ...identity };
  for (const restoredSubscriptions of ['all', ['a/b/c'], [{ pattern: 'a/b/c' }]])
    undecodable.push([
      `restored subscriptions of the form ${JSON.stringify(restoredSubscriptions)}`,
      encode({ ...accepted, restoredSubscriptions }),
    ]);

  for (const [what, bytes] of undecodable)
    it(`refuses ${what}`, () => {
      expect(errorOf(() => decodeFrame(bytes))).to.include({ error: 'undecodable_frame' });
    });

  it('throws no other error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        try {
          decodeFrame(bytes);
        } catch (error) {
          return error instanceof RoomwireError && error.error === 'undecodable_frame';
        }
        return true;
      }),
    );
  });

  it('ignores an unknown type', () => {
    expect(decodeFrame(encode({ type: 'toString' }))).to.equal(undefined);
    expect(decodeFrame(encode({ type: 'roomRenamed', roomId: 'den', to: 'cave' }))).to.equal(undefined);
  });

  it('fills in the missing fields of a message', () => {
    expect(decodeFrame(encode({ type: 'message', topic: 'a/b/c', data: [1] }))).to.deep.equal({
      type: 'message',
      topic: 'a/b/c',
      data: [1],
      msgId: undefined,
      requiresAck: false,
      isReplay: false,
      filter: undefined,
      meta: undefined,
      delivery: undefined,
    });
  });

  it('reads the restored subscriptions', () => {
    const entry = {
      pattern: 'a/b/c',
      topic: 'p/a/_/b/c',
      load_balance: true,
      load_balance_group: 'g',
      filters: ['x'],
      meta: true,
      own: true,
    };
    const restored = [entry, { pattern: 'a/b/d', topic: 'p/a/_/b/d', load_balance_group: null }];
    expect(
      decodeFrame(encode({ ...accepted, protocolVersion: 2, restoredSubscriptions: restored })),
    ).to.deep.equal({
      ...{ type: 'auth', success: true },
      session: {
        ...identity,
        protocolVersion: 2,
        restoredSubscriptions: [
          entry,
          { ...restored[1], load_balance: false, filters: [], meta: false, own: false },
        ],
        features: [],
      },
    });
  });

  it('reads the names of features, those that it does not know as well', () => {
    const features = ['meta', 'teleport'];
    expect(decodeFrame(encode({ ...accepted, features }))).to.have.deep.nested.property(
      'session.features',
      features,
    );
  });

  it('treats an auth reply without a version as version 1', () => {
    expect(decodeFrame(encode(accepted))).to.have.nested.property('session.protocolVersion', 1);
  });
});

describe('protocolError', () => {
  it('separates the name of the error from its remark, and keeps the remark in the message', () => {
    const frame = decodeFrame(encode({ type: 'error', error: 'too_many_filters (max 100)', topic: 'a/b/c' }));
    if (frame?.type !== 'error') throw new Error('Not an error frame');
    const error = protocolError(frame);
    expect(error).to.include({ error: 'too_many_filters', topic: 'a/b/c', code: undefined });
    expect(error.message).to.equal('Subscription refused: too_many_filters (max 100) (a/b/c)');
  });
});

const circular = (): unknown => {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
};
