import { expect } from 'chai';
import type { GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { messageMemory } from '../../../src/groups/machine/messageMemory.js';
import { RecordBuffer } from '../../../src/groups/machine/recordBuffer.js';
import { messageOf, room, topic } from '../../support/groupNode.js';

const bounds = { messages: 3, bytes: 100 };
const sized = (id: string, bytes: number): LiveMessage => messageOf(id, { body: new Uint8Array(bytes) });
const record = (gatewayId: string, ref: number): GroupRecordOf<'check'> => ({
  ...{ kind: 'check', room, topic, group: 'g', gatewayId, ref },
});

describe('the records that a gateway keeps of a group', () => {
  it('[WS-GROUP-8] has no more messages and bytes than the group, and drops the oldest', () => {
    for (const [sizes, kept] of [
      [
        [1, 1, 1, 1],
        ['1', '2', '3'],
      ],
      [
        [50, 50, 1],
        ['1', '2'],
      ],
      [
        [50, 50],
        ['0', '1'],
      ],
      [
        [1, 99, 1, 1],
        ['2', '3'],
      ],
    ] as const) {
      let dropped = 0;
      const buffer = new RecordBuffer(bounds, (messages) => (dropped += messages));
      buffer.add(record('a', 1));
      const messages = sizes.map((size, n) => sized(`${n}`, size));
      for (const message of messages) buffer.add(message);
      const left = messages.filter(({ id }) => (kept as readonly string[]).includes(id));
      expect(buffer.records).to.eql([record('a', 1), ...left]);
      expect(buffer.messages).to.eql(left);
      expect(dropped).to.equal(messages.length - left.length);
      expect(buffer.memoryBytes).to.equal(left.reduce((sum, each) => sum + messageMemory(each), 0));
    }
  });

  it('[WS-GROUP-11] drops the oldest messages that take so many bytes', () => {
    const messages = [0, 1, 2].map((n) => sized(`m${n}`, 1));
    const size = messageMemory(messages[0] as LiveMessage);
    for (const [bytes, dropped] of [
      [0, []],
      [1, ['m0']],
      [size, ['m0']],
      [size + 1, ['m0', 'm1']],
      [10 * size, ['m0', 'm1', 'm2']],
    ] as const) {
      const buffer = new RecordBuffer(bounds, () => expect.fail());
      buffer.add(record('a', 1));
      for (const message of messages) buffer.add(message);
      expect(buffer.drop(bytes)).to.eql(dropped);
      expect(buffer.memoryBytes).to.equal((3 - dropped.length) * size);
      expect(buffer.records).to.have.length(4 - dropped.length);
    }
  });

  it('has a message once, until it is taken', () => {
    const buffer = new RecordBuffer(bounds, () => expect.fail());
    const [one, two] = [sized('m1', 60), sized('m2', 30)];
    for (const each of [one, record('a', 1), one, record('a', 1), two]) buffer.add(each);
    expect(buffer.records).to.eql([one, record('a', 1), record('a', 1), two]);
    expect([buffer.take('m1'), buffer.take('m1'), buffer.take('m3')]).to.eql([one, undefined, undefined]);
    expect(buffer.messages).to.eql([two]);
    expect(buffer.memoryBytes).to.equal(messageMemory(two));
    // There is room again.
    buffer.add(one);
    expect(buffer.messages).to.eql([two, one]);
  });
});

describe('the memory of an open message', () => {
  it('is what was measured: for itself, its body and each of its filter values', () => {
    expect(messageMemory(sized('m', 0))).to.equal(800);
    expect(messageMemory(sized('m', 7))).to.equal(807);
    expect(messageMemory({ ...sized('m', 7), filters: ['eu', 'urgent'] })).to.equal(807 + 54 + 62);
  });
});
