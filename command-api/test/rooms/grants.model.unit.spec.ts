import { expect } from 'chai';
import fc from 'fast-check';
import { actorTypes, type ActorType } from '@roomwire/shared/domain/actor';
import { roomsDecider, type RoomCommand } from '../../src/rooms/decider.js';
import { deciding } from '../support/deciders.js';

interface PaperGrant {
  readonly id: string;
  readonly roomId: string;
  readonly holder: string;
}

/** Rooms and grants as two lists. */
class PaperRooms {
  rooms: string[] = [];
  grants: PaperGrant[] = [];

  tell(command: RoomCommand): string {
    switch (command.type) {
      case 'CreateRoom':
        // The slug of a room is its id here.
        if (this.rooms.includes(command.room.slug)) return 'room_slug_taken';
        this.rooms.push(command.room.roomId);
        return 'done';
      case 'DeleteRoom':
        if (!this.rooms.includes(command.roomId)) return 'room_not_found';
        this.rooms = this.rooms.filter((id) => id !== command.roomId);
        this.grants = this.grants.filter(({ roomId }) => roomId !== command.roomId);
        return 'done';
      case 'GrantAccess': {
        const { roomActorAccessId: id, roomId, actorTokenId, actorType } = command.grant;
        const holder = String(actorTokenId ?? actorType);
        if (!this.rooms.includes(roomId)) return 'room_not_found';
        if (this.grants.some((each) => each.roomId === roomId && each.holder === holder))
          return 'grant_holder_taken';
        this.grants.push({ id, roomId, holder });
        return 'done';
      }
      case 'RevokeAccess': {
        const { roomActorAccessId, roomId } = command;
        if (!this.rooms.includes(roomId)) return 'room_not_found';
        if (!this.grants.some((each) => each.id === roomActorAccessId && each.roomId === roomId))
          return 'grant_not_found';
        this.grants = this.grants.filter(({ id }) => id !== roomActorAccessId);
        return 'done';
      }
      default:
        throw new Error(`${command.type} is not in this model`);
    }
  }
}

const appId = 'a1';
const roomId = fc.constantFrom('r1', 'r2');
const holder = fc.oneof(
  fc.constantFrom('x1', 'x2').map((actorTokenId) => ({ actorTokenId, actorType: null })),
  fc
    .constantFrom<ActorType>(...actorTypes.slice(0, 2))
    .map((actorType) => ({ actorTokenId: null, actorType })),
);
/** A grant's id is made when the command is; to revoke names any of those made so far. */
const step: fc.Arbitrary<(fresh: string, anyOf: (pick: number) => string) => RoomCommand> = fc.oneof(
  roomId.map((id) => () => ({
    type: 'CreateRoom' as const,
    room: {
      roomId: id,
      appId,
      projectId: 'p',
      name: id,
      slug: id,
      description: null,
      topics: [],
      metadata: {},
      origin: 'api' as const,
    },
  })),
  roomId.map((id) => () => ({ type: 'DeleteRoom' as const, appId, roomId: id })),
  {
    arbitrary: fc.tuple(roomId, holder, fc.boolean()).map(([id, who, isActive]) => (fresh: string) => ({
      type: 'GrantAccess' as const,
      grant: {
        roomActorAccessId: fresh,
        appId,
        roomId: id,
        projectId: 'p',
        ...who,
        permission: 'pubSub' as const,
        topics: null,
        expiresAt: isActive ? null : '2000-01-01T00:00:00.000Z',
        isActive,
        role: null,
        metadata: null,
      },
    })),
    weight: 4,
  },
  {
    arbitrary: fc
      .tuple(roomId, fc.nat())
      .map(([id, pick]) => (_fresh: string, anyOf: (pick: number) => string) => ({
        type: 'RevokeAccess' as const,
        appId,
        roomId: id,
        roomActorAccessId: anyOf(pick),
      })),
    weight: 3,
  },
);

describe('the grants on the rooms of an app, against a simple model', () => {
  it('agree on every answer and on the final state', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const real = deciding(roomsDecider);
        const paper = new PaperRooms();
        let made = 1;
        for (const next of steps) {
          const command = next(`g${made}`, (pick) => `g${pick % made}`);
          if (command.type === 'GrantAccess') made += 1;
          expect(real.tell(command)).to.equal(paper.tell(command));
        }
        const kept = [...real.state().grants].flatMap(([id, { byId, holders }]) => {
          expect(holders.size).to.equal(byId.size);
          return [...byId.keys()].map((grantId) => [id, grantId]);
        });
        expect(kept).to.have.deep.members(paper.grants.map((each) => [each.roomId, each.id]));
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});
