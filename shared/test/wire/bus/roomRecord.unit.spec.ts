import { expect } from 'chai';
import { encode } from '@msgpack/msgpack';
import { isGroupRecord, roomRecords, type RoomRecord } from '../../../src/wire/bus/roomRecord.js';
import { groupRecordSamples as all, member, message, sender } from './groupRecordSamples.js';

describe('a record of a room', () => {
  const { codec, key } = roomRecords;
  const there = (record: RoomRecord): RoomRecord => codec.decode(codec.encode(record));

  it('is a message, as on the channel of messages', () => {
    expect(there(message)).to.deep.equal(message);
    expect(isGroupRecord(there(message))).to.equal(false);
    expect(key(message)).to.equal('p/app/_/room');
  });

  for (const news of all) {
    it(`is the "${news.kind}" of a worker group`, () => {
      expect(there(news)).to.deep.equal(news);
      expect(isGroupRecord(there(news))).to.equal(true);
      expect(key(news)).to.equal('p/app/_/room');
    });
  }

  it('is a member without filters', () => {
    const news = {
      ...sender,
      kind: 'join',
      members: [{ ...member, filters: undefined }],
      needs: 'state',
    } as const;
    expect(there(news)).to.deep.equal({
      ...news,
      members: [{ number: 1, actorTokenId: 'ann', acks: true, isPersistent: false }],
    });
  });

  it('is skipped when it has another version or shape', () => {
    const wrong = [
      ['group', 2, all[0]],
      ['group', 1, { ...all[0], kind: 'constructor' }],
      ['group', 1, { ...all[0], members: [{ ...member, acks: 1 }] }],
      ['group', 1, { ...all[2], assignments: [['id', 'gateway']] }],
      ['group', 1, { ...all[3], ids: [1] }],
      ['group', 1, { ...all[8], held: [[message, null]] }],
      ['group', 1, { ...all[6], ref: 'x' }],
      ['group', 1],
      ['other', 1, all[0]],
      'group',
    ];
    for (const record of wrong) expect(() => codec.decode(encode(record)), JSON.stringify(record)).to.throw();
  });
});
