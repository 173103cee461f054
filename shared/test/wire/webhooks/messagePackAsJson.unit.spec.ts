import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { messagePackAsJson } from '../../../src/wire/webhooks/messagePackAsJson.js';
import { requestBody } from '../../../src/wire/webhooks/requestBody.js';

const asJson = (value: unknown): unknown =>
  JSON.parse(messagePackAsJson(encode(value, { useBigInt64: true })));
const bytes = (...values: number[]): unknown => JSON.parse(messagePackAsJson(Uint8Array.from(values)));

describe('[HOOK-BODY-2] MessagePack as JSON', () => {
  it('equals the output of JSON itself, for every value that JSON can represent', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.parse(messagePackAsJson(encode(value)))).to.eql(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('has bytes as base64', () => {
    expect(asJson(Uint8Array.of(0, 255, 16))).to.equal('AP8Q');
    expect(asJson({ blob: new Uint8Array(0) })).to.eql({ blob: '' });
    expect(asJson(new Uint8Array(70_000).fill(1))).to.equal(Buffer.alloc(70_000, 1).toString('base64'));
  });

  it('has null for NaN and infinities, and for nil', () => {
    expect(asJson([NaN, Infinity, -Infinity, null, 1.5])).to.eql([null, null, null, null, 1.5]);
    expect(bytes(0xca, 0x7f, 0xc0, 0, 0), 'a NaN of 32 bits').to.equal(null);
    expect(bytes(0xca, 0x3f, 0x80, 0, 0)).to.equal(1);
  });

  it('has integers beyond 2^53 as text, and the others as numbers', () => {
    const largest = BigInt(Number.MAX_SAFE_INTEGER);
    expect(asJson([largest, largest + 1n, -largest, -largest - 1n, 2n ** 64n - 1n, -(2n ** 63n)])).to.eql([
      Number.MAX_SAFE_INTEGER,
      '9007199254740992',
      -Number.MAX_SAFE_INTEGER,
      '-9007199254740992',
      '18446744073709551615',
      '-9223372036854775808',
    ]);
    expect(asJson([0, 127, 128, 65_535, 65_536, 4_294_967_295, -1, -32, -33, -129, -40_000])).to.eql([
      0, 127, 128, 65_535, 65_536, 4_294_967_295, -1, -32, -33, -129, -40_000,
    ]);
  });

  it('has timestamps in UTC, and null for those outside the calendar', () => {
    const day = new Date('2026-01-31T09:30:00.123Z');
    expect(asJson([day, new Date(0), new Date(-1)])).to.eql([
      '2026-01-31T09:30:00.123Z',
      '1970-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
    ]);
    expect(bytes(0xc7, 12, 0xff, 0, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 255, 255)).to.equal(null);
  });

  it('has integer keys as text, and names of built-in properties as ordinary keys', () => {
    expect(bytes(0x82, 1, 0xc3, 0xff, 0xc2)).to.eql({ 1: true, '-1': false });
    const named = asJson({ constructor: 1, toString: 2 });
    expect(Object.entries(named as object)).to.eql([
      ['constructor', 1],
      ['toString', 2],
    ]);
  });

  it('is refused for anything but one complete value', () => {
    for (const broken of [[], [0x92, 1], [1, 2], [0xdb, 255, 255, 255, 255, 65]])
      expect(() => bytes(...broken), String(broken)).to.throw(RangeError);
  });
});

describe('[HOOK-BODY-1] the body of a webhook call', () => {
  const told = { roomName: 'lobby', topicName: 'chat', actorId: 'a1', scope: null };
  const scope = { accessScopeId: 's1', slug: 'acme', name: 'Acme', projectId: 'kept back' };

  it('of a trigger has five fields, of a hydration four', () => {
    const trigger = { ...told, kind: 'trigger', data: encode({ text: 'hi "there"' }) } as const;
    expect(JSON.parse(requestBody(trigger))).to.eql({ ...told, data: { text: 'hi "there"' } });
    const hydration = { ...told, kind: 'hydration', data: new Uint8Array() } as const;
    expect(JSON.parse(requestBody(hydration))).to.eql(told);
  });

  it('[HOOK-BODY-3] of version 2 also names the app, the room and the message', () => {
    const message = {
      appSlug: 'desk-1a2b',
      topic: 'desk-1a2b/lobby/chat',
      id: 'order-7',
      at: 0,
      position: null,
    };
    const trigger = { ...told, kind: 'trigger', appId: 'a', roomId: 'r', data: encode(1), message } as const;
    expect(Object.entries(JSON.parse(requestBody(trigger)) as object)).to.eql([
      ...Object.entries({ roomName: 'lobby', topicName: 'chat', actorId: 'a1', data: 1, scope: null }),
      ...Object.entries({ appId: 'a', appSlug: 'desk-1a2b', roomId: 'r', topic: 'desk-1a2b/lobby/chat' }),
      ...Object.entries({ id: 'order-7', at: '1970-01-01T00:00:00.000Z', position: null }),
    ]);
  });

  it('of a room event is what its sender has made', () => {
    const body = { event: 'joined', sequence: 7, presence: { name: 'Ada' } };
    expect(JSON.parse(requestBody({ ...told, kind: 'event', data: encode(body) }))).to.eql(body);
  });

  it('has three fields for a scope', () => {
    const call = { ...told, scope, kind: 'trigger', data: encode(null) } as const;
    expect(JSON.parse(requestBody(call))).to.eql({
      ...told,
      data: null,
      scope: { accessScopeId: 's1', slug: 'acme', name: 'Acme' },
    });
  });
});
