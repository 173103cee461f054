import {
  evolveRoom,
  roomsStream,
  type Grant,
  type GrantEvent,
  type Room,
  type RoomChanges,
  type RoomEvent,
  type RoomFields,
} from '@roomwire/shared/domain/room';
import type { ConfiguredJobGroup, DeletedJobGroup, JobGroupEvent } from '@roomwire/shared/domain/jobGroup';
import type { DeletedHistory, HistoryEvent } from '@roomwire/shared/domain/topicHistory';
import { inPlace, type Edits } from '../handling/edits.js';
import { changedFields, type Decider, targetOf } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';
import {
  decideGrant,
  evolveGrants,
  isGrantEvent,
  putGrant,
  type GrantCommand,
  type RoomGrants,
} from './grants.js';
import { firstPart, staticRoomChanges } from './staticRooms.js';

/** Rooms that `rooms/ensure` may create in one app. */
export const provisionedRoomsCap = 1000;

export type RoomCommand =
  | { readonly type: 'CreateRoom'; readonly room: RoomFields }
  /** Creates the room unless its slug exists. */
  | { readonly type: 'EnsureRoom'; readonly room: RoomFields }
  | {
      readonly type: 'UpdateRoom';
      readonly appId: string;
      readonly roomId: string;
      readonly changes: RoomChanges;
    }
  | { readonly type: 'DeleteRoom'; readonly appId: string; readonly roomId: string }
  /** Makes these the static rooms of the app, in parts: it is repeated until it has no events. */
  | { readonly type: 'PlaceStaticRooms'; readonly appId: string; readonly rooms: readonly RoomFields[] }
  | { readonly type: 'DeleteHistory'; readonly deleted: DeletedHistory }
  /** Of a group that gateways keep. */
  | { readonly type: 'ConfigureJobGroup'; readonly group: ConfiguredJobGroup }
  | { readonly type: 'DeleteJobGroup'; readonly group: DeletedJobGroup }
  | GrantCommand;

/** The rooms of an app and the grants on them. */
export interface RoomsState {
  readonly byId: Map<string, Room>;
  readonly idBySlug: Map<string, string>;
  /** By room, for rooms that have any. They are removed with their room. */
  readonly grants: Map<string, RoomGrants>;
  /** How many of them `rooms/ensure` has created. */
  readonly provisioned: number;
}

/** What was done with messages and jobs, for the audit: no decision depends on it. */
type RecordedWork = HistoryEvent | JobGroupEvent;

export const roomsDecider: Decider<RoomsState, RoomCommand, RoomEvent | GrantEvent | RecordedWork> = {
  initial: () => ({ byId: new Map(), idBySlug: new Map(), grants: new Map(), provisioned: 0 }),

  evolve(state, event, edits = inPlace) {
    if (isGrantEvent(event)) {
      evolveGrants(state.grants, event, edits);
      return state;
    }
    if (isRecordedWork(event)) return state;
    const { roomId } = event.data;
    const before = state.byId.get(roomId);
    const after = evolveRoom(before, event);
    if (after) return putRoom(state, before, after, edits);
    if (before === undefined) return state;
    edits.remove(state.byId, roomId);
    edits.remove(state.idBySlug, before.slug);
    edits.remove(state.grants, roomId);
    return counted(state, before, undefined);
  },

  decide(command, state) {
    switch (command.type) {
      case 'CreateRoom':
        if (state.idBySlug.has(command.room.slug))
          throw new Rejection('room_slug_taken', { slug: command.room.slug });
        return [{ type: 'RoomCreated', data: command.room }];
      case 'EnsureRoom': {
        const { room } = command;
        if (state.idBySlug.has(room.slug)) return [];
        if (state.provisioned >= provisionedRoomsCap)
          throw new Rejection('room_cap_reached', { appId: room.appId, cap: provisionedRoomsCap });
        return [{ type: 'RoomCreated', data: room }];
      }
      case 'UpdateRoom': {
        const { appId, roomId } = command;
        const changes = changedFields(existing(state, roomId), command.changes);
        return changes ? [{ type: 'RoomUpdated', data: { appId, roomId, changes } }] : [];
      }
      case 'DeleteRoom': {
        const { appId, roomId } = command;
        if (existing(state, roomId).origin === 'blueprint') throw new Rejection('room_static', {});
        return [{ type: 'RoomDeleted', data: { appId, roomId } }];
      }
      case 'PlaceStaticRooms':
        return firstPart(staticRoomChanges(state, command.appId, command.rooms));
      case 'DeleteHistory':
        existing(state, command.deleted.roomId);
        return [{ type: 'HistoryDeleted', data: command.deleted }];
      case 'ConfigureJobGroup':
        existing(state, command.group.roomId);
        return [{ type: 'JobGroupConfigured', data: command.group }];
      case 'DeleteJobGroup':
        existing(state, command.group.roomId);
        return [{ type: 'JobGroupDeleted', data: command.group }];
      case 'GrantAccess':
        existing(state, command.grant.roomId);
        return decideGrant(command, state.grants.get(command.grant.roomId));
      case 'RevokeAccess':
        existing(state, command.roomId);
        return decideGrant(command, state.grants.get(command.roomId));
    }
  },

  records: {
    version: 1,
    of({ byId, grants }) {
      const all: (Room | Grant)[] = [...byId.values()];
      for (const ofRoom of grants.values()) for (const grant of ofRoom.byId.values()) all.push(grant);
      return all;
    },
    into(state, record) {
      if (!isGrant(record as Room | Grant)) return putRoom(state, undefined, record as Room, inPlace);
      putGrant(state.grants, record as Grant, inPlace);
      return state;
    },
  },
};

const recordedWork = [
  'HistoryDeleted',
  'JobGroupConfigured',
  'JobGroupDeleted',
] as const satisfies readonly RecordedWork['type'][];

const isRecordedWork = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: RecordedWork['type'] }> =>
  (recordedWork as readonly string[]).includes(event.type);

const putRoom = (state: RoomsState, before: Room | undefined, after: Room, edits: Edits): RoomsState => {
  edits.put(state.byId, after.roomId, after);
  if (before?.slug !== after.slug) edits.put(state.idBySlug, after.slug, after.roomId);
  return counted(state, before, after);
};

const counted = (state: RoomsState, before: Room | undefined, after: Room | undefined): RoomsState => {
  const change = countsAsProvisioned(after) - countsAsProvisioned(before);
  return change === 0 ? state : { ...state, provisioned: state.provisioned + change };
};

const countsAsProvisioned = (room: Room | undefined): number => (room?.origin === 'ensure' ? 1 : 0);

const isGrant = (record: Room | Grant): record is Grant => 'roomActorAccessId' in record;

export const roomsTarget = targetOf(roomsStream, roomsDecider);

export const existing = (state: RoomsState, roomId: string): Room => {
  const room = state.byId.get(roomId);
  if (room === undefined) throw new Rejection('room_not_found', { roomId });
  return room;
};

export const roomBySlug = (state: RoomsState, slug: string): Room =>
  existing(state, state.idBySlug.get(slug) ?? slug);
