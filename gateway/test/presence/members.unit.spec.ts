import type { Buffer } from 'node:buffer';
import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import type { TopicAccess } from '../../src/access/topicAccess.js';
import type { Count } from '../../src/presence/counts.js';
import { Members, type Member } from '../../src/presence/members.js';
import type { PresenceClient } from '../../src/presence/stay.js';

const [one, two] = ['p/app/_/one', 'p/app/_/two'];

describe('the sessions in a room', () => {
  let members: Members;
  let frames: Buffer[];

  beforeEach(() => {
    members = new Members(50);
    frames = [];
  });

  const member = (actorTokenId: string): Member => {
    const outbox = { push: (frame: Buffer) => frames.push(frame) };
    return members.of({ identity: { actorTokenId }, outbox } as unknown as PresenceClient);
  };

  /** The announcement has been sent, and has come back. */
  const enter = (who: Member, room: string, keep: boolean): void => {
    who.rooms.set(room, { roomId: room, access: { room } as TopicAccess, keep });
    who.movingTo = keep ? undefined : room;
    members.entered(who.connection, room);
    who.movingTo = undefined;
  };

  /** The rooms of which those in them are told that somebody has come. */
  const told = (...rooms: readonly string[]): readonly unknown[] => {
    frames.length = 0;
    const presence = Uint8Array.of(0x80);
    for (const room of rooms) members.notify({ room, event: 'join', actorTokenId: 'somebody', presence });
    return frames.map((frame) => (decode(frame.subarray(2)) as { roomId?: string }).roomId);
  };

  it('[WS-PRES-14] are told of each of theirs, with its name where they have entered with `keep`', () => {
    const ann = member('ann');
    enter(ann, one, false);
    enter(ann, two, true);
    expect(told(one, two)).to.deep.equal([undefined, two]);
    enter(ann, one, true);
    expect(told(one, two)).to.deep.equal([one, two]);
  });

  it('[WS-PRES-4] are told of the others no more once a move is in force, and not before', () => {
    const ann = member('ann');
    enter(ann, one, true);
    ann.rooms.set(two, { roomId: two, access: { room: two } as TopicAccess, keep: false });
    ann.movingTo = two;
    expect(told(one, two)).to.deep.equal([one]);
    members.entered(ann.connection, two);
    expect(told(one, two)).to.deep.equal([undefined]);
  });

  it('[WS-PRES-14] stay in all when an announcement of long ago is said again', () => {
    const ann = member('ann');
    enter(ann, one, false);
    enter(ann, two, true);
    members.entered(ann.connection, one);
    expect(told(one, two)).to.deep.equal([undefined, two]);
  });

  it('[WS-PRES-5] share a frame by the name that they have for the room', () => {
    for (const id of ['ann', 'ben']) enter(member(id), one, true);
    for (const id of ['cem', 'somebody']) enter(member(id), one, false);
    expect(told(one)).to.have.members([one, one, undefined]);
    expect(new Set(frames).size).to.equal(2);
  });

  it('[WS-PRES-18] are told nothing of a room in which they count, also when they enter it later', () => {
    const ann = member('ann');
    ann.counts.set(one, {} as Count);
    enter(ann, one, true);
    enter(ann, two, true);
    expect(told(one, two)).to.deep.equal([two]);
  });

  it('are told nothing once they are over, whatever comes back then', () => {
    const ann = member('ann');
    enter(ann, one, true);
    members.remove(ann);
    members.entered(ann.connection, one);
    expect(told(one, two)).to.deep.equal([]);
    expect(members.at(ann.connection)).to.equal(undefined);
  });
});
