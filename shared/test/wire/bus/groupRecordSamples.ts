import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import type { GroupRecord } from '../../../src/wire/bus/groupRecord.js';
import type { LiveMessage } from '../../../src/wire/bus/liveMessage.js';

export const message: LiveMessage = liveMessage({
  ...{ id: 'id', room: 'p/app/_/room', topic: 'p/app/_/room/work', projectId: 'p', publisher: 'ann' },
  filters: ['eu'],
});
export const sender = {
  room: message.room,
  topic: message.topic,
  group: 'g/ü',
  gatewayId: 'gateway',
  ref: 7,
};
export const member = {
  number: 1,
  actorTokenId: 'ann',
  filters: ['x', ['y', 'z']],
  acks: true,
  isPersistent: false,
};

/** One of each kind. */
export const groupRecordSamples: readonly GroupRecord[] = [
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
