import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { dataBytes } from '../../../src/generator/frames.js';
import { CentrifugoWalker, publishAnswer } from '../../../src/generator/wires/centrifugoWalker.js';
import { centrifugoWire } from '../../../src/generator/wires/centrifugoWire.js';
import { textOfMoment } from '../../../src/generator/wires/textMoment.js';
import { serverFrame } from './serverFrame.js';

describe('The scan of Centrifugo’s lines', () => {
  const { layout, stamped, publishFrame, isAnswer } = centrifugoWire('secret');
  const info = { user: 'client-000007', client: '4e2b1d0c-6a3f-4c58-9d57-0a1b2c3d4e5f' };
  const message = (moment: number): string => {
    const data = textOfMoment(moment).padEnd(dataBytes, '.');
    return JSON.stringify({ push: { channel: 'a/b/c', pub: { data, info } } });
  };
  const frameOf = (...lines: readonly string[]): Buffer => serverFrame(Buffer.from(lines.join('\n')), 1);
  const momentsIn = (chunks: readonly Buffer[], counted?: 'pushes' | 'answers'): readonly number[] => {
    const moments: number[] = [];
    const onFrame = (_opcode: number, _length: number, raw: number): void =>
      void moments.push(layout.momentOf(raw));
    const walker = new CentrifugoWalker({ onFrame }, counted);
    const first = frameOf(message(0));
    walker.walk(first, first.length);
    walker.stampFromEnd = layout.stampFromEnd;
    for (const chunk of chunks) walker.walk(chunk, chunk.length);
    return counted === 'answers' ? moments : moments.slice(1);
  };

  it('finds every message and its moment between the answers, wherever chunks end', () => {
    const stream = Buffer.concat([
      frameOf(message(1.5), publishAnswer, message(2.5)),
      frameOf(publishAnswer),
      frameOf(message(3.5)),
    ]);
    for (let cut = 1; cut < stream.length; cut += 1)
      expect(momentsIn([stream.subarray(0, cut), stream.subarray(cut)]), `cut at ${cut}`).to.deep.equal([
        1.5, 2.5, 3.5,
      ]);
    expect(momentsIn([...stream].map((byte) => Buffer.from([byte])))).to.deep.equal([1.5, 2.5, 3.5]);
  });

  it('learns the length of a message from several in one frame', () => {
    let messages = 0;
    const walker = new CentrifugoWalker({ onFrame: () => void (messages += 1) });
    for (const bytes of [frameOf(publishAnswer, message(1), message(2)), frameOf(message(3))])
      walker.walk(bytes, bytes.length);
    expect(messages).to.equal(3);
  });

  it('counts answers alone where these are asked for', () => {
    const stream = frameOf(publishAnswer, message(1), publishAnswer);
    expect(momentsIn([stream], 'answers')).to.have.length(2);
  });

  it('refuses everything else', () => {
    const refused = [
      frameOf('{}'),
      frameOf('{"id":3,"error":{"code":103}}'),
      frameOf(message(1).slice(0, -1)),
      frameOf(`${message(1)} `),
      serverFrame(Buffer.concat([Buffer.from([0x0b, 0xb8]), Buffer.from('shutdown')]), 8),
    ];
    for (const bytes of refused) expect(() => momentsIn([bytes]), bytes.toString()).to.throw('besides');
  });

  it('writes the moment to where the message has its data', () => {
    const frame = stamped(publishFrame('a/b/c'), 42.5).toString();
    expect(frame).to.include(`"data":"${textOfMoment(42.5)}....`);
    expect(frame.length).to.equal(publishFrame('a/b/c').length);
  });

  it('takes nothing but answers for the acceptance of a publish', () => {
    const text = (...lines: readonly string[]): unknown => ({ opcode: 1, text: lines.join('\n') });
    expect(isAnswer?.(text(publishAnswer, publishAnswer))).to.equal(true);
    expect(isAnswer?.(text(publishAnswer, '{"id":3,"error":{}}'))).to.equal(false);
  });
});
