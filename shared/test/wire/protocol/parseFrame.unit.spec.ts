import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseFrame } from '../../../src/wire/protocol/parseFrame.js';

const binary = (frame: unknown) => parseFrame(Buffer.from(encode(frame)), false);
const text = (frame: unknown) => parseFrame(Buffer.from(JSON.stringify(frame)), true);
const bothWays = { binary, text };

for (const [encoding, parse] of Object.entries(bothWays)) {
  describe(`a ${encoding} frame`, () => {
    it('[WS-AUTH-1] auth', () => {
      const frame = {
        type: 'auth',
        token: 't',
        protocolVersion: 2,
        reconnect: true,
        clientId: 'c',
        projectId: 'p',
      };
      expect(parse(frame)).to.deep.equal({
        type: 'auth',
        token: 't',
        protocolVersion: 2,
        reconnect: true,
        clientId: 'c',
        features: false,
        notices: false,
        sdk: undefined,
      });
    });

    it('[WS-AUTH-4] auth whose fields are of the wrong type is an auth with a bad credential', () => {
      const frame = { type: 'auth', token: { $ne: '' }, protocolVersion: '2', reconnect: 1, clientId: [] };
      expect(parse(frame)).to.deep.equal({
        type: 'auth',
        token: undefined,
        protocolVersion: 1,
        reconnect: false,
        clientId: undefined,
        features: false,
        notices: false,
        sdk: undefined,
      });
    });

    it('[WS-SUB-4] qos is 0, 1 or 2, and anything else is 1', () => {
      const qosOf = (qos: unknown) => parse({ type: 'subscribe', topic: 'a/b/c', qos });
      for (const [sent, read] of [
        [0, 0],
        [1, 1],
        [2, 2],
        [7, 1],
        ['x', 1],
        [null, 1],
        [-1, 1],
        [0.5, 1],
        [[2], 1],
      ]) {
        expect(qosOf(sent)).to.include({ qos: read });
      }
      expect(parse({ type: 'subscribe', topic: 'a/b/c' })).to.include({ qos: 1 });
    });

    it('subscribe with filters', () => {
      const frame = { type: 'subscribe', topic: 'a/b/c', filters: ['x', ['y', 'z']] };
      expect(parse(frame)).to.deep.equal({
        type: 'subscribe',
        topic: 'a/b/c',
        qos: 1,
        filters: ['x', ['y', 'z']],
        loadBalance: false,
        loadBalanceGroup: undefined,
        meta: false,
        own: false,
        from: undefined,
        jobs: undefined,
        onGap: 'continue',
      });
    });

    it('[WS-HIST-4] subscribe from a point', () => {
      const subscribe = (fields: object) => parse({ type: 'subscribe', topic: 'a/b/c', ...fields });
      for (const from of [
        { position: '' },
        { position: 'a'.repeat(64) },
        { last: 0 },
        { last: 1_000 },
        { since: 0 },
        { since: 1_790_000_000_000, other: true },
      ])
        expect(subscribe({ from, onGap: 'refuse' })).to.deep.include({ from, onGap: 'refuse' });
      expect(subscribe({ from: null })).to.include({ from: undefined });
      for (const from of [
        ...[
          'last',
          50,
          [],
          {},
          { position: 7 },
          { position: 'a'.repeat(65) },
          { position: 'a b' },
          { last: -1 },
        ],
        ...[{ last: 1_001 }, { last: 1.5 }, { last: '5' }, { since: -1 }, { since: 0.5 }, { since: '2026' }],
        ...[
          { position: '', last: 5 },
          { last: 5, since: 5 },
          { last: 5, other: 'x'.repeat(300) },
        ],
      ])
        expect(subscribe({ from }), JSON.stringify(from)).to.include({
          error: 'invalidFrame',
          topic: 'a/b/c',
        });
      for (const onGap of ['stop', true, 1])
        expect(subscribe({ from: { last: 1 }, onGap })).to.include({ error: 'invalidFrame' });
      expect(subscribe({ from: { last: 1 }, loadBalance: true })).to.include({ error: 'invalidFrame' });
      expect(subscribe({ from: { last: 1 }, loadBalance: false })).to.include({ type: 'subscribe' });
    });

    it('[WS-HIST-12] history', () => {
      const history = (fields: object) => parse({ type: 'history', topic: 'a/b/c', ...fields });
      const none = { before: undefined, after: undefined, limit: 100, ref: undefined };
      expect(history({})).to.deep.equal({ type: 'history', topic: 'a/b/c', ...none });
      expect(history({ after: '', limit: 1_000, ref: 'r' })).to.include({
        after: '',
        limit: 1_000,
        ref: 'r',
      });
      for (const wrong of [
        ...[{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { limit: '5' }, { before: 5 }, { after: 'a b' }],
        ...[
          { before: 'a', after: 'b' },
          { before: 'a', after: '' },
        ],
      ])
        expect(history({ ...wrong, ref: 'r' }), JSON.stringify(wrong)).to.include({
          ...{ error: 'invalidFrame', topic: 'a/b/c', ref: 'r' },
        });
      expect(history({ ref: 5 })).to.include({ error: 'invalidFrame' });
    });

    it('[WS-GROUP-1] subscribe to a worker group', () => {
      const frame = { type: 'subscribe', topic: 'a/b/c' };
      const group = 'g'.repeat(255);
      expect(parse({ ...frame, loadBalance: true, loadBalanceGroup: group })).to.include({
        loadBalance: true,
        loadBalanceGroup: group,
      });
      for (const wrong of [
        { loadBalance: 'yes' },
        { loadBalanceGroup: 1 },
        { loadBalanceGroup: `${group}g` },
      ]) {
        expect(parse({ ...frame, ...wrong })).to.deep.include({ type: 'malformed', error: 'invalidFrame' });
      }
    });

    it('[WS-FILTER-5] setFilters', () => {
      const frame = { type: 'setFilters', topic: 'a/b/c', filters: ['x', ['y', 'z']] };
      expect(parse(frame)).to.deep.equal(frame);
      expect(parse({ ...frame, filters: [] })).to.deep.equal({ ...frame, filters: [] });
      for (const filters of [undefined, null, 'x', [1], [['y', 2]], {}]) {
        expect(parse({ ...frame, filters })).to.include({ error: 'invalidFrame', topic: 'a/b/c' });
      }
      expect(parse({ type: 'setFilters', filters: [] })).to.include({ error: 'invalidFrame' });
    });

    it('[WS-ACK-1] ack', () => {
      expect(parse({ type: 'ack', msgId: 'id' })).to.deep.equal({ type: 'ack', msgId: 'id' });
      for (const msgId of [undefined, null, 7, ['id'], {}])
        expect(parse({ type: 'ack', msgId })).to.include({ error: 'invalidFrame' });
    });

    it('[WS-ACK-2] batchAck', () => {
      const batch = (msgIds: unknown) => parse({ type: 'batchAck', msgIds });
      const most = Array.from({ length: 10_000 }, (_, n) => `id ${n}`);
      for (const msgIds of [[], ['a', 'b'], most])
        expect(batch(msgIds)).to.deep.equal({ type: 'batchAck', msgIds });
      for (const msgIds of [undefined, null, 'a', ['a', 7], [['a']], {}, [...most, 'one more']])
        expect(batch(msgIds)).to.include({ error: 'invalidFrame' });
    });

    it('publish keeps its data as MessagePack', () => {
      const data = { any: ['thing', 1, null, { deep: true }] };
      const frame = parse({
        type: 'publish',
        topic: 'a/b/c',
        data,
        qos: 2,
        filter: 'f',
        filters: ['g'],
        msgRef: 'r',
      });
      if (frame.type !== 'publish') return expect.fail();
      expect(decode(frame.data)).to.deep.equal(data);
      expect(frame).to.include({ topic: 'a/b/c', qos: 2, retain: false, filter: 'f', msgRef: 'r' });
      expect(frame.filters).to.deep.equal(['g']);
    });

    it('[WS-RETAIN-1] publish with retain, which is true or false', () => {
      const frame = { type: 'publish', topic: 'a/b/c', data: 1 };
      expect(parse({ ...frame, retain: true })).to.include({ retain: true });
      for (const retain of [false, null]) expect(parse({ ...frame, retain })).to.include({ retain: false });
      for (const retain of [1, 'true', []]) {
        expect(parse({ ...frame, retain })).to.include({ error: 'invalidFrame' });
      }
    });

    it('[WS-ENC-4] null is treated as missing, except for data', () => {
      const frame = parse({
        type: 'publish',
        topic: 'a/b/c',
        data: null,
        filter: null,
        filters: null,
        msgRef: null,
      });
      expect(frame).to.deep.include({ type: 'publish', filter: undefined, filters: [], msgRef: undefined });
      expect(parse({ type: 'publish', topic: null, data: 1 })).to.include({ error: 'invalidFrame' });
    });

    const invalid: Record<string, unknown> = {
      'a list': [],
      'a number': 1,
      nothing: null,
      'no type': { topic: 'a/b/c' },
      'a type that is no string': { type: {} },
      'no topic': { type: 'subscribe' },
      'a topic that is no string': { type: 'unsubscribe', topic: 7 },
      'no data': { type: 'publish', topic: 'a/b/c' },
      'a msgRef that is no string': { type: 'publish', topic: 'a/b/c', data: 1, msgRef: 5 },
      'a filter that is no string': { type: 'publish', topic: 'a/b/c', data: 1, filter: ['x'] },
      'filters that are no list': { type: 'publish', topic: 'a/b/c', data: 1, filters: 'x' },
      'a list of filters with a number': { type: 'subscribe', topic: 'a/b/c', filters: ['x', 1] },
      'an AND-group with a number': { type: 'subscribe', topic: 'a/b/c', filters: [['x', 1]] },
      'the key __proto__ in the data': JSON.parse(
        '{"type":"publish","topic":"a/b/c","data":{"a":{"__proto__":{}}}}',
      ) as unknown,
    };
    for (const [what, frame] of Object.entries(invalid)) {
      it(`[WS-ENC-5] ${what} is an invalid frame`, () => {
        expect(parse(frame)).to.deep.include({ type: 'malformed', error: 'invalidFrame' });
      });
    }

    for (const type of ['nonsense', '', '__proto__', 'constructor', 'toString', 'acks']) {
      it(`[WS-ENC-6] the type "${type}" is unknown`, () => {
        expect(parse({ type })).to.deep.equal({ type: 'malformed', error: 'unknownType' });
      });
    }

    it('[WS-ENC-5] a malformed frame is answered under its msgRef', () => {
      const frame = parse({ type: 'publish', topic: 'a/b/c', filters: 1, data: 1, msgRef: 'r' });
      expect(frame).to.deep.equal({
        type: 'malformed',
        error: 'invalidFrame',
        topic: 'a/b/c',
        msgRef: 'r',
      });
    });
  });
}

describe('a frame', () => {
  it('[WS-ENC-3] passes the data bytes unchanged, also where another encoder would write others', () => {
    const wideOne = Buffer.from([0xd3, 0, 0, 0, 0, 0, 0, 0, 1]);
    const head = Buffer.from(encode({ type: 'publish', topic: 'a/b/c', data: 0 }));
    const bytes = Buffer.concat([head.subarray(0, -1), wideOne]);
    const frame = parseFrame(bytes, false);
    expect(frame.type === 'publish' && Buffer.from(frame.data).equals(wideOne)).to.equal(true);
  });

  it('[WS-ENC-4] uses the last value of a field that was sent twice', () => {
    const twice = Buffer.concat([
      Buffer.from([0x83]),
      ...['type', 'unsubscribe', 'topic', 'first', 'topic', 'second'].map((part) => encode(part)),
    ]);
    expect(parseFrame(twice, false)).to.include({ topic: 'second' });
    expect(
      parseFrame(Buffer.from('{"type":"unsubscribe","topic":"first","topic":"second"}'), true),
    ).to.include({
      topic: 'second',
    });
  });

  const unsound: Record<string, unknown> = {
    'the key __proto__': JSON.parse('{"__proto__":1}') as unknown,
    'half a surrogate pair': '\ud800',
    'too many levels': JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) as unknown,
  };
  for (const [what, data] of Object.entries(unsound)) {
    it(`[WS-ENC-5] in MessagePack is answered under its msgRef when data behind it has ${what}`, () => {
      const refused = { type: 'malformed', error: 'invalidFrame', topic: 'a/b/c' };
      const frame = { type: 'publish', topic: 'a/b/c' };
      expect(binary({ ...frame, msgRef: 'r', data })).to.deep.equal({ ...refused, msgRef: 'r' });
      expect(binary({ ...frame, data, msgRef: 'r' })).to.deep.equal(refused);
    });
  }

  it('[WS-ENC-2] in JSON that is malformed, too deep or not Unicode is invalid', () => {
    const deep = `{"type":"publish","topic":"a/b/c","data":${'['.repeat(64)}${']'.repeat(64)}}`;
    for (const json of [
      '',
      '{',
      '\ufeff{}',
      'undefined',
      '{"type":"publish","topic":"\\ud800","data":1}',
      deep,
    ]) {
      expect(parseFrame(Buffer.from(json), true)).to.deep.equal({
        type: 'malformed',
        error: 'invalidFrame',
      });
    }
  });

  it('never throws, whatever the bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.anything().map((any) => mutable(any)),
    );
    const property = fc.property(bytes, fc.nat(), fc.nat(255), fc.boolean(), (any, at, byte, isText) => {
      const mutated = Buffer.from(any);
      if (mutated.length > 0) mutated[at % mutated.length] = byte;
      expect(parseFrame(mutated, isText).type).to.be.oneOf([
        'malformed',
        'auth',
        'subscribe',
        'unsubscribe',
        'publish',
      ]);
    });
    fc.assert(property, { numRuns: 5_000 });
  });
});

const mutable = (any: unknown): Uint8Array => {
  try {
    return encode({ type: 'publish', topic: 'a/b/c', data: any });
  } catch {
    return new Uint8Array(); // Not for MessagePack, such as a symbol.
  }
};
