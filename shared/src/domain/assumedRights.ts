import type { App } from './app.js';
import type { DomainEvent } from './events.js';
import { createdGrant, evolveRoom, roomGrants, type Room, type RoomGrants } from './room.js';
import { evolveApp } from './app.js';

/** The events on which it depends what may be done in rooms. */
export type RightsEvent = Extract<
  DomainEvent,
  {
    readonly type:
      'AppUpdated' | 'AppDeleted' | 'RoomUpdated' | 'RoomDeleted' | 'RoomGrantAdded' | 'RoomGrantRevoked';
  }
>;

const rightsEvents: { readonly [T in RightsEvent['type']]: true } = {
  AppUpdated: true,
  AppDeleted: true,
  RoomUpdated: true,
  RoomDeleted: true,
  RoomGrantAdded: true,
  RoomGrantRevoked: true,
};

export const isRightsEvent = (event: DomainEvent): event is RightsEvent =>
  Object.hasOwn(rightsEvents, event.type);

/** The event without what no right depends on. */
export const rightsOf = (event: RightsEvent): RightsEvent => {
  if (event.type === 'AppUpdated') {
    const { appId, changes } = event.data;
    const { status, slug, topics, config } = changes;
    const { accessMode } = config ?? {};
    const kept = {
      ...(status && { status }),
      ...(slug !== undefined && { slug }),
      ...(topics && { topics }),
      ...(config && { config: accessMode === undefined ? {} : { accessMode } }),
    };
    return { type: 'AppUpdated', data: { appId, changes: kept } };
  }
  if (event.type === 'RoomUpdated') {
    const { appId, roomId, changes } = event.data;
    const { status, topics } = changes;
    const kept = { ...(status && { status }), ...(topics && { topics }) };
    return { type: 'RoomUpdated', data: { appId, roomId, changes: kept } };
  }
  return event.type === 'RoomGrantAdded'
    ? { type: 'RoomGrantAdded', data: { ...event.data, role: null, metadata: null } }
    : event;
};

/** A room, its app and its grants, as far as they exist. */
export interface RoomRights {
  readonly app: App | undefined;
  readonly room: Room | undefined;
  readonly grants: RoomGrants;
}

/** What would be, had these events happened. */
export const assuming = (now: RoomRights, events: readonly RightsEvent[]): RoomRights =>
  events.reduce(assumingOne, now);

const assumingOne = ({ app, room, grants }: RoomRights, event: RightsEvent): RoomRights => {
  if (app?.appId !== event.data.appId) return { app, room, grants };
  // No right depends on when a record was changed.
  const occurredAt = app.updatedAt;
  switch (event.type) {
    case 'AppUpdated':
    case 'AppDeleted':
      return { app: evolveApp(app, { ...event, occurredAt }), room, grants };
    case 'RoomUpdated':
    case 'RoomDeleted':
      if (room?.roomId !== event.data.roomId) break;
      return { app, room: evolveRoom(room, { ...event, occurredAt }), grants };
    case 'RoomGrantAdded':
      if (room?.roomId !== event.data.roomId) break;
      return { app, room, grants: roomGrants([...listed(grants), createdGrant(event.data, occurredAt)]) };
    case 'RoomGrantRevoked': {
      const { roomActorAccessId } = event.data;
      const others = listed(grants).filter((grant) => grant.roomActorAccessId !== roomActorAccessId);
      return { app, room, grants: roomGrants(others) };
    }
  }
  return { app, room, grants };
};

const listed = ({ ofActors, ofTypes }: RoomGrants) => [...ofActors.values(), ...ofTypes.values()];
