import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { maxFrameFields } from '../../../src/wire/protocol/limits.js';
import { parseFrame } from '../../../src/wire/protocol/parseFrame.js';

const ack = { type: 'ack', msgId: 'm' };
const framed = (fields: number): object => ({
  ...Object.fromEntries(Array.from({ length: fields - 2 }, (_, index) => [`unknown${index}`, index])),
  ...ack,
});
const encodings = {
  binary: (frame: object) => parseFrame(Buffer.from(encode(frame)), false),
  text: (frame: object) => parseFrame(Buffer.from(JSON.stringify(frame)), true),
};

for (const [encoding, parse] of Object.entries(encodings)) {
  describe(`the fields of a ${encoding} frame`, () => {
    it(`[WS-ENC-4] are at most ${maxFrameFields}`, () => {
      expect(parse(framed(maxFrameFields))).to.deep.equal(ack);
      expect(parse(framed(maxFrameFields + 1))).to.include({ type: 'malformed', error: 'invalidFrame' });
    });
  });
}

describe('too many fields in a text frame', () => {
  it('[WS-ENC-5] leave its msgRef readable', () => {
    const frame = { ...framed(maxFrameFields), topic: 'a/b/c', msgRef: 'r' };
    expect(encodings.text(frame)).to.include({ type: 'malformed', topic: 'a/b/c', msgRef: 'r' });
  });
});

describe('an integer as the name of a field', () => {
  it('[WS-ENC-4] is no known field, whatever its bytes spell', () => {
    const integerKey = (name: string): Buffer =>
      Buffer.concat([Buffer.of(0xce), Buffer.from(name, 'latin1')]);
    const pairs = [
      encode('type'),
      encode('ack'),
      encode('msgId'),
      encode('m'),
      integerKey('type'),
      encode('x'),
    ];
    const frame = Buffer.concat([Buffer.of(0x83), ...pairs]);
    expect(parseFrame(frame, false)).to.deep.equal(ack);
  });
});

describe('a field that holds what it may not', () => {
  const list = (count: number, item: string) => `[${new Array<string>(count).fill(item).join()}]`;
  const subscribe = (filters: string) =>
    parseFrame(Buffer.from(`{"type":"subscribe","topic":"a/b/c","filters":${filters}}`), true);
  const alike = (filters: string) => {
    const text = subscribe(filters);
    const frame = { type: 'subscribe', topic: 'a/b/c', filters: JSON.parse(filters) as unknown };
    expect(parseFrame(Buffer.from(encode(frame)), false), filters.slice(0, 40)).to.deep.equal(text);
    return text;
  };
  const invalid = { type: 'malformed', error: 'invalidFrame', topic: 'a/b/c' };

  it('[WS-ENC-5] makes the frame invalid', () => {
    for (const filters of [
      '[1]',
      '[{}]',
      '[["a",["b"]]]',
      '[[1]]',
      '[null]',
      '{}',
      '"a"',
      '1',
      '[[[]]]',
      '[["a"],{}]',
    ])
      expect(alike(filters), filters).to.deep.equal(invalid);
  });

  it('[WS-FILTER-1] is read with its lists in it', () => {
    for (const filters of ['[]', '["a"]', '[["a","b"],"c",[],["d","e\\n\\"]"]]', ' [ "a" , [ "b","c" ] ] '])
      expect(alike(filters)).to.deep.include({ filters: JSON.parse(filters) as unknown });
  });

  it('[WS-FILTER-1] with more filters than any may have is read so far as to show it', () => {
    for (const filters of [list(100_000, '"a"'), `[${list(100_000, '"a"')}]`, list(100_000, '[]')]) {
      const frame = alike(filters) as { filters: readonly (readonly unknown[])[] };
      const values = frame.filters.flat().length + frame.filters.length;
      expect(values).to.be.within(10_000, 20_100);
    }
  });

  it('[WS-ACK-2] is invalid where it has too many ids', () => {
    for (const [count, type] of [
      [10_000, 'batchAck'],
      [10_001, 'malformed'],
    ] as const) {
      const frame = { type: 'batchAck', msgIds: new Array<string>(count).fill('a') };
      for (const parse of Object.values(encodings)) expect(parse(frame).type).to.equal(type);
    }
  });

  it('[WS-ENC-5] names the topic and the msgRef of a text frame, also where they are written with escapes', () => {
    const text = String.raw`{"type":"publish","\u0074opic":"a\/b\/c","msgRef":"\u0072"}`;
    expect(parseFrame(Buffer.from(text), true)).to.deep.equal({ ...invalid, msgRef: 'r' });
  });
});

const costOf = (action: () => unknown): number => {
  const before = process.cpuUsage();
  action();
  return process.cpuUsage(before).user;
};

/** The least of several: what a busy machine adds is not ours. */
const leastCostOf = (action: () => unknown): number =>
  Math.min(...Array.from({ length: 7 }, () => costOf(action)));

/** Tried until it is: on a busy machine, it can take many rounds until the action runs as optimised code. */
const expectCostBelow = (limit: number, action: () => unknown): void => {
  let least = costOf(action);
  for (let round = 1; least >= limit && round < 100; round++) least = Math.min(least, costOf(action));
  expect(least).to.be.below(limit);
};

describe('what need not be decoded', () => {
  const million = (item: number) =>
    Buffer.concat([Buffer.from('dd000f0000', 'hex'), Buffer.alloc(0xf0000, item)]);
  const withField = (name: string, value: Buffer) =>
    Buffer.concat([
      Buffer.of(0x83),
      ...['type', 'subscribe', 'topic', 'a/b/c', name].map((part) => encode(part)),
      value,
    ]);

  for (const [what, item] of [
    ['arrays', 0x90],
    ['maps', 0x80],
  ] as const) {
    it(`[WS-ENC-8] costs no more than a field that is ignored: a million empty ${what} as filters, or as a qos`, () => {
      const ignored = withField('unknown', million(item));
      const [filters, qos] = [withField('filters', million(item)), withField('qos', million(item))];
      const limit = 4 * leastCostOf(() => parseFrame(ignored, false)) + 2_000;
      expectCostBelow(limit, () => parseFrame(filters, false));
      expectCostBelow(limit, () => parseFrame(qos, false));
    });
  }

  for (const [what, data] of Object.entries({
    'empty arrays': `[${'[],'.repeat(300_000)}[]]`,
    'deep nests': `[${`${'['.repeat(60)}${']'.repeat(60)},`.repeat(8_000)}1]`,
    'distinct keys': `{${Array.from({ length: 80_000 }, (_, at) => `"${at.toString(36)}x":1`).join()}}`,
  })) {
    it(`[WS-ENC-8] in JSON costs in the order of decoding and encoding it: ${what}`, () => {
      const text = Buffer.from(`{"type":"publish","topic":"a/b/c","data":${data}}`);
      expect(parseFrame(text, true).type).to.equal('publish');
      const limit = 4 * leastCostOf(() => encode(JSON.parse(text.toString()))) + 2_000;
      expectCostBelow(limit, () => parseFrame(text, true));
    });
  }
});
