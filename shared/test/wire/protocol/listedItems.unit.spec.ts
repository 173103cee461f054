import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { listedItems } from '../../../src/wire/protocol/listedItems.js';

const most = 3;
const ofJson = (text: string): string[] | undefined =>
  listedItems(Buffer.from(text), true, 'messages', most)?.map((item) => item.toString());
const ofMessagePack = (bytes: Uint8Array): unknown[] | undefined =>
  listedItems(Buffer.from(bytes), false, 'messages', most)?.map((item) => decode(item));

/** Raw MessagePack in a list of this name. */
const listed = (...items: Uint8Array[]): Uint8Array =>
  Buffer.concat([Uint8Array.of(0x81), encode('messages'), Uint8Array.of(0x90 + items.length), ...items]);

describe('the items of the only list of an object', () => {
  it('are found where they are', () => {
    expect(ofJson(' { "messages" : [ {"a":[1,"]"]} ,2e3, "\\"" ] } ')).to.eql([
      '{"a":[1,"]"]}',
      '2e3',
      '"\\""',
    ]);
    expect(ofJson('{"\\u006dessages":[null]}')).to.eql(['null']);
    expect(ofJson('{"messages":[ ]}')).to.eql([]);
    expect(ofMessagePack(encode({ messages: [{ a: [1, 'b'] }, 2, null] }))).to.eql([
      { a: [1, 'b'] },
      2,
      null,
    ]);
    expect(ofMessagePack(encode({ messages: [] }))).to.eql([]);
  });

  it('are at most one more than the most, and nothing behind it is read', () => {
    expect(ofJson('{"messages":[1,2,3]}')).to.eql(['1', '2', '3']);
    expect(ofJson('{"messages":[1,2,3,4]}')).to.eql(['1', '2', '3', '4']);
    expect(ofJson('{"messages":[1,2,3,4,nonsense')).to.eql(['1', '2', '3', '4']);
    expect(ofMessagePack(encode({ messages: [1, 2, 3, 4, 5] }))).to.eql([1, 2, 3, 4]);
  });

  it('are those of no other object', () => {
    for (const text of [
      ...[
        '[1]',
        '1',
        '',
        '{}',
        '{"messages":1}',
        '{"messages":{}}',
        '{"other":[1]}',
        '{"messages":[1],"a":1}',
      ],
      ...[
        '{"a":1,"messages":[1]}',
        '{"messages":[1]',
        '{"messages":[1,]}',
        '{"messages":[,1]}',
        '{"messages":[1]}x',
      ],
      ...[
        '{"messages":[1 2]}',
        '{"messages":[01]}',
        '{"messages":[1}',
        '{messages:[1]}',
        '{"messages":["\\ud800"]}',
      ],
    ])
      expect(ofJson(text), text).to.equal(undefined);
    for (const value of [
      [1],
      1,
      {},
      { messages: 1 },
      { messages: {} },
      { other: [1] },
      { messages: [1], a: 1 },
    ])
      expect(ofMessagePack(encode(value)), JSON.stringify(value)).to.equal(undefined);
    const whole = encode({ messages: [{ a: 'b' }] });
    for (let length = 0; length < whole.length; length++)
      expect(ofMessagePack(whole.subarray(0, length)), `${length}`).to.equal(undefined);
    expect(ofMessagePack(Buffer.concat([whole, Uint8Array.of(0)]))).to.equal(undefined);
  });

  it('may each have 64 levels, and none more', () => {
    const json = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(ofJson(`{"messages":[${json(64)}]}`)).to.eql([json(64)]);
    expect(ofJson(`{"messages":[${json(65)}]}`)).to.equal(undefined);
    const packed = (levels: number): Uint8Array =>
      Buffer.from([...Array<number>(levels - 1).fill(0x91), 0x90]);
    expect(ofMessagePack(listed(packed(64)))).to.have.length(1);
    expect(ofMessagePack(listed(packed(65)))).to.equal(undefined);
  });

  it('are refused with lengths that are not there, extensions, poisoned keys and text that is not UTF-8', () => {
    const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');
    for (const item of [
      'dd ff ff ff ff',
      'df ff ff ff ff',
      'db 00 00 00 ff',
      'd4 01 00',
      'c1',
      'a1 ff',
      '81 c0 c0',
    ])
      expect(ofMessagePack(listed(hex(item))), item).to.equal(undefined);
    expect(ofMessagePack(listed(encode({ __proto_: 1 })))).to.have.length(1);
    expect(ofMessagePack(listed(hex(`81 a9 ${Buffer.from('__proto__').toString('hex')} 01`)))).to.equal(
      undefined,
    );
    const list = hex(`81 a8 ${Buffer.from('messages').toString('hex')} dd 7f ff ff ff 01`);
    expect(ofMessagePack(list)).to.equal(undefined);
  });
});
