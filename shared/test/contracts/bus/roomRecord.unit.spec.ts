import { expect } from 'chai';
import { encode } from '@msgpack/msgpack';
import type { GroupNews } from '../../../src/contracts/bus/groupNews.js';
import type { LiveMessage } from '../../../src/contracts/bus/liveMessage.js';
import { isGroupNews, roomRecords, type RoomRecord } from '../../../src/contracts/bus/roomRecord.js';

const message: LiveMessage = {
  ...{ id: 'id', room: 'p/app/_/room', topic: 'p/app/_/room/work', projectId: 'p', publisher: 'ann' },
  ...{ qos: 1, filters: ['eu'], body: Uint8Array.of(0x80), retention: undefined },
};
const sender = { room: message.room, topic: message.topic, group: 'g/ü', gatewayId: 'gateway', ref: 7 };
const member = {
  number: 1,
  actorTokenId: 'ann',
  filters: ['x', ['y', 'z']],
  acks: true,
  isPersistent: false,
};

const all: readonly GroupNews[] = [
  { ...sender, kind: 'join', members: [member], needs: 'founds' },
  { ...sender, kind: 'leave', members: [1, 2], quit: true },
  { ...sender, kind: 'assign', assignments: [['id', 'gateway', 1]] },
  { ...sender, kind: 'done', ids: ['id'] },
  { ...sender, kind: 'gone', gone: 'other', upTo: 3 },
  { ...sender, kind: 'messages', messages: [message] },
  { ...sender, kind: 'check' },
  { ...sender, kind: 'woken', collects: true },
  {
    ...{ ...sender, kind: 'state', to: 'other', after: ['other', 3], part: 0, parts: 2 },
    ...{ members: [{ ...member, gatewayId: 'gateway', turn: 4 }], awaiting: ['other'] },
    ...{ isWaking: false, collects: true, floorMs: 5, passed: ['id'] },
    held: [
      [message, ['gateway', 1]],
      [message, null],
    ],
  },
];

describe('what happens in a room', () => {
  const { codec, key } = roomRecords;
  const there = (record: RoomRecord): RoomRecord => codec.decode(codec.encode(record));

  it('is its messages, as the channel of messages has them', () => {
    expect(there(message)).to.deep.equal(message);
    expect(isGroupNews(there(message))).to.equal(false);
    expect(key(message)).to.equal('p/app/_/room');
  });

  for (const news of all) {
    it(`is the "${news.kind}" of a worker group`, () => {
      expect(there(news)).to.deep.equal(news);
      expect(isGroupNews(there(news))).to.equal(true);
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

  it('is passed over when it is of another version or shape', () => {
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
