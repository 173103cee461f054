import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { isSoundMessagePack } from '@roomwire/shared/wire/protocol/messagePackScan';
import { packed, PublishingApi, type Answer } from '../support/publishingApi.js';

const topic = 'a/b/c';
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const map = (...parts: (Buffer | string)[]): Buffer =>
  Buffer.concat([
    Buffer.of(0x80 + parts.length / 2),
    ...parts.map((part) => (typeof part === 'string' ? packed(part) : part)),
  ]);
/** As MessagePack. */
const messageWith = (data: Buffer): Buffer => map('topic', topic, 'data', data);
const batchOf = (...items: Buffer[]): Buffer =>
  map('messages', Buffer.concat([Buffer.of(0x90 + items.length), ...items]));
/** As JSON, with the text of its data. */
const textWith = (data: string): string => `{"topic":"${topic}","data":${data}}`;
const bytesOf = (data: Uint8Array | undefined): string => Buffer.from(data ?? []).toString('hex');

describe('the body of a publish over HTTP', () => {
  let api: PublishingApi;

  beforeEach(async () => void (api = await PublishingApi.open()));
  afterEach(() => api.close());

  const expectRefused = ({ status, body }: Answer, expected: number, message: string): void => {
    expect([status, body.message]).to.eql([expected, message]);
    expect(api.calls).to.eql([]);
  };
  const failuresOf = ({ status, body }: Answer): string[] => {
    expect([status, body.message]).to.eql([400, 'Validation failed']);
    expect(api.calls).to.eql([]);
    return (body.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  };

  describe('[HTTP-PUB-2] as JSON or MessagePack', () => {
    it('is of one of the two types', async () => {
      const text = textWith('1');
      for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
        expect((await api.send(text, { type })).status, type).to.equal(200);
      const answer = await api.send(messageWith(hex('01')), { type: 'Application/MsgPack' });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      api.calls.length = 0;
      const neither = 'Content-Type must be application/json or application/msgpack';
      for (const type of ['text/plain', 'application/json; charset=latin1', 'application/msgpackx', ''])
        expectRefused(await api.send(text, { type }), 415, neither);
    });

    it('is neither compressed nor larger than 1 MiB', async () => {
      const headers = { 'content-encoding': 'gzip' };
      const unsupported = 'The content encoding is not supported';
      expectRefused(await api.send(gzipSync(textWith('1')), { headers }), 415, unsupported);
      const full = textWith('1').padEnd(1_048_576);
      expect((await api.send(full)).status).to.equal(200);
      api.calls.length = 0;
      expectRefused(await api.send(`${full} `), 413, 'The body is larger than 1048576 bytes');
      expectRefused(
        await api.sendPacked(messageWith(Buffer.alloc(1_048_576))),
        413,
        'The body is larger than 1048576 bytes',
      );
    });

    it('is not missing, and an object', async () => {
      const noObject = ': must be an object of at most 64 fields, none of them __proto__';
      expect(failuresOf(await api.send(undefined))).to.eql([noObject]);
      for (const text of ['', '[1]', '"a"', 'null', '{"__proto__":1}'])
        expect(failuresOf(await api.send(text)), text).to.eql([noObject]);
      for (const bytes of [hex('90'), hex('c0'), packed('a')])
        expect(failuresOf(await api.sendPacked(bytes))).to.eql([noObject]);
      const many = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`f${n}`, n]));
      expect(failuresOf(await api.post(many))).to.eql([noObject]);
      expect(failuresOf(await api.sendPacked(packed(many)))).to.eql([noObject]);
      expect(failuresOf(await api.post({ messages: [{ topic, data: 1 }, 5, []] }))).to.eql([
        `messages.1${noObject}`,
        `messages.2${noObject}`,
      ]);
      expect(failuresOf(await api.sendPacked(batchOf(hex('05'))))).to.eql([`messages.0${noObject}`]);
    });

    it('is no text that is not JSON, or that MessagePack cannot carry', async () => {
      const message = 'The body is not valid JSON';
      for (const text of ['{', '{"topic":}', `\ufeff${textWith('1')}`, textWith('01'), textWith('"\\ud800"')])
        expectRefused(await api.send(text), 400, message);
      expectRefused(await api.send(textWith('['.repeat(64) + ']'.repeat(64))), 400, message);
      expectRefused(await api.send(Buffer.from(textWith('"\xff"'), 'latin1')), 400, message);
      const deep = '['.repeat(100_000);
      expectRefused(await api.send(textWith(deep)), 400, message);
      expectRefused(await api.send(`{"messages":[${deep}`), 400, message);
    });

    it('is no hostile MessagePack', async () => {
      const hostile = {
        'a list of which nothing is there': hex('dd ff ff ff ff'),
        'a map of which nothing is there': hex('df 7f ff ff ff'),
        'text of which nothing is there': hex('db ff ff ff ff'),
        'an extension': hex('d4 01 00'),
        'a timestamp of a wrong length': hex('d5 ff 00 00'),
        'the byte that is never used': hex('c1'),
        'text that is not UTF-8': hex('a1 ff'),
        'a key that is a list': hex('81 90 01'),
        'a key __proto__': Buffer.concat([hex('81'), packed('__proto__'), hex('01')]),
        '65 levels': Buffer.concat([Buffer.alloc(63, 0x91), hex('90')]),
        'a million levels': Buffer.alloc(1_000_000, 0x91),
      };
      for (const [what, data] of Object.entries(hostile)) {
        const message = messageWith(data);
        for (const body of [message, batchOf(message)])
          expectRefused(await api.sendPacked(body), 400, 'The body is not valid MessagePack');
        if (data.length > 1_000) continue;
        const base64 = data.toString('base64');
        expect(failuresOf(await api.post({ topic, base64 })), what).to.eql([
          'base64: must be the base64 of one sound MessagePack value',
        ]);
      }
      expectRefused(
        await api.sendPacked(Buffer.concat([messageWith(hex('01')), hex('00')])),
        400,
        'The body is not valid MessagePack',
      );
    });
  });

  describe('[HTTP-PUB-4] has data', () => {
    it('that becomes MessagePack as in a JSON frame', async () => {
      const cases: Record<string, string> = {
        '1': '01',
        '-1': 'ff',
        '1.0': '01',
        '0.5': 'cb3fe0000000000000',
        '255': 'ccff',
        '9007199254740993': 'cb4340000000000000',
        '18446744073709551616': 'cb43f0000000000000',
        '1e400': 'cb7ff0000000000000',
        '{"a":1,"a":2}': '82a16101a16102',
        '{"b":1,"a":2, "1":3}': '83a16201a16102a13103',
        '"\\u00e9"': 'a2c3a9',
        null: 'c0',
      };
      for (const [text, bytes] of Object.entries(cases)) {
        for (const body of [textWith(text), `{"messages":[${textWith(text)}]}`]) {
          expect((await api.send(body)).status, text).to.equal(200);
          expect(bytesOf(api.published[0]?.data), text).to.equal(bytes);
        }
      }
    });

    it('that is the very bytes in MessagePack, and in base64', async () => {
      for (const bytes of [
        '01',
        'd10001',
        'cf0000000000000001',
        'ca3f800000',
        'd6ff00000000',
        'c403010203',
      ]) {
        const data = hex(bytes);
        const base64 = data.toString('base64');
        for (const body of [messageWith(data), batchOf(messageWith(data)), packed({ topic, base64 })]) {
          expect((await api.sendPacked(body)).status, bytes).to.equal(200);
          expect(bytesOf(api.published[0]?.data)).to.equal(bytes);
        }
        await api.post({ topic, base64 });
        expect(bytesOf(api.published[0]?.data)).to.equal(bytes);
      }
    });

    it('that does not keep the rest of the body in memory', async () => {
      await api.sendPacked(batchOf(messageWith(hex('01')), messageWith(packed('x'.repeat(1_000)))));
      expect(api.published[0]?.data.buffer.byteLength).to.equal(1);
    });

    it('of as many levels in a batch as alone', async () => {
      const deepest = Buffer.concat([Buffer.alloc(62, 0x91), hex('90')]);
      const text = textWith('['.repeat(63) + ']'.repeat(63));
      for (const body of [messageWith(deepest), batchOf(messageWith(deepest))])
        expect((await api.sendPacked(body)).status).to.equal(200);
      for (const body of [text, `{"messages":[${text}]}`])
        expect((await api.send(body)).status).to.equal(200);
      expect((await api.post({ topic, base64: deepest.toString('base64') })).status).to.equal(200);
    });

    it('or its base64, and not both', async () => {
      const expected = [': must have exactly one of data and base64'];
      for (const body of [
        { topic },
        { topic, data: 1, base64: 'AQ==' },
        { topic, data: null, base64: 'AQ==' },
      ]) {
        expect(failuresOf(await api.post(body))).to.eql(expected);
        expect(failuresOf(await api.sendPacked(packed(body)))).to.eql(expected);
      }
      for (const base64 of ['', 'A', 'AQ', 'AQ=', 'AQ==\n', 'AQ=A', '-_8=', 'AQI='])
        expect(failuresOf(await api.post({ topic, base64 })), base64).to.eql([
          'base64: must be the base64 of one sound MessagePack value',
        ]);
      expect(failuresOf(await api.send(textWith('{"__proto__":1}')))).to.eql([
        'data: must not have a key __proto__',
      ]);
    });
  });

  describe('[HTTP-PUB-3] that is malformed', () => {
    const malformed: readonly (readonly [object, string])[] = [
      [{ topic: undefined }, 'topic: is required'],
      [{ topic: null }, 'topic: is required'],
      [{ topic: 1 }, 'topic: must be string'],
      [{ topic: {} }, 'topic: must be string'],
      [{ scope: 1 }, 'scope: must be string,null'],
      [{ as: ['a'] }, 'as: must be string,null'],
      [{ as: 'a', scope: 'b' }, 'scope: must not be given together with as'],
      [{ filter: true }, 'filter: must be string,null'],
      [{ filters: 'a' }, 'filters: must be array,null'],
      [{ filters: ['a', ['b', 'c']] }, 'filters.1: must be string'],
      [{ retain: 'true' }, 'retain: must be boolean,null'],
      [{ qos: 3 }, 'qos: must be <= 2'],
      [{ qos: -1 }, 'qos: must be >= 0'],
      [{ qos: 1.5 }, 'qos: must be integer,null'],
      [{ qos: '1' }, 'qos: must be integer,null'],
      [{ id: '' }, 'id: must match pattern "^[A-Za-z0-9_.:-]{1,128}$"'],
      [{ id: 'a b' }, 'id: must match pattern "^[A-Za-z0-9_.:-]{1,128}$"'],
      [{ id: 'a\n' }, 'id: must match pattern "^[A-Za-z0-9_.:-]{1,128}$"'],
      [{ id: 'x'.repeat(129) }, 'id: must match pattern "^[A-Za-z0-9_.:-]{1,128}$"'],
      [{ id: 1 }, 'id: must be string,null'],
      [{ trigger: 1 }, 'trigger: must be boolean,null'],
      [{ msgRef: 'r' }, 'msgRef: is not a known field'],
    ];
    for (const [fields, failure] of malformed)
      it(`is refused as a whole: ${JSON.stringify(fields).slice(0, 40)}`, async () => {
        const bad = { topic, data: 1, ...fields };
        const good = { topic, data: 1 };
        expect(failuresOf(await api.post(bad))).to.eql([failure]);
        expect(failuresOf(await api.post({ messages: [good, bad] }))).to.eql([`messages.1.${failure}`]);
        expect(failuresOf(await api.sendPacked(packed(bad)))).to.eql([failure]);
        expect(failuresOf(await api.sendPacked(packed({ messages: [bad, good] })))).to.eql([
          `messages.0.${failure}`,
        ]);
      });

    it('is taken at the edges', async () => {
      const id = 'x'.repeat(128);
      expect((await api.post({ topic, data: 1, id, qos: 0, filters: [] })).body.id).to.equal(id);
      // Their number and their characters are the publisher's to refuse.
      const filters = Array.from({ length: 101 }, () => '#');
      expect((await api.post({ topic, data: 1, filters })).status).to.equal(200);
      expect(api.published[0]?.filters).to.eql(filters);
    });

    it('lists at most a hundred failures, of all messages', async () => {
      const bad = { topic: 1, data: 1, other: 1 };
      expect(failuresOf(await api.post({ messages: new Array(100).fill(bad) }))).to.have.length(100);
    });
  });

  it('[HTTP-PUB-2] is accepted or refused, whatever its bytes are (seed 4711)', async () => {
    const whole = batchOf(
      messageWith(packed({ a: [1, 'é', null] })),
      packed({ topic, base64: 'AQ==', qos: 2 }),
    );
    const text = Buffer.from(
      JSON.stringify({ messages: [{ topic, data: { a: [1.5, 'é'] }, filters: ['f'] }] }),
    );
    const mutated = fc.tuple(
      fc.constantFrom([whole, 'application/msgpack'] as const, [text, 'application/json'] as const),
      fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      fc.nat(3),
    );
    const key = api.newKey();
    const property = fc.asyncProperty(mutated, async ([[bytes, type], changes, cut]) => {
      const body = Buffer.from(bytes.subarray(0, bytes.length - cut));
      for (const [at, value] of changes) body[at % body.length] = value;
      expect((await api.send(body, { key, type })).status).to.be.oneOf([200, 400]);
      for (const { data } of api.published) expect(isSoundMessagePack(data, 1)).to.equal(true);
    });
    await fc.assert(property, { seed: 4711, numRuns: 500 });
    expect(api.lines.filter(({ level }) => level === 'error')).to.eql([]);
  });

  it('[HTTP-PUB-5] has 1 to 100 messages, or is one', async () => {
    const message = { topic, data: 1 };
    for (const [count, failure] of [
      [0, 'messages: must NOT have fewer than 1 items'],
      [101, 'messages: must NOT have more than 100 items'],
      [1_000, 'messages: must NOT have more than 100 items'],
    ] as const) {
      const body = { messages: new Array<object>(count).fill(message) };
      expect(failuresOf(await api.post(body))).to.eql([failure]);
      expect(failuresOf(await api.sendPacked(packed(body)))).to.eql([failure]);
    }
    const together = { messages: [message], topic };
    expect(failuresOf(await api.post(together))).to.eql(['messages: must be the only field']);
    for (const messages of [1, 'a', {}, null])
      expect(failuresOf(await api.post({ messages }))).to.eql(['messages: must be array']);
    const twice = `{"messages":[],"messages":[${JSON.stringify(message)}]}`;
    expect(failuresOf(await api.send(twice))).to.eql(['messages: must be the only field']);
  });
});
