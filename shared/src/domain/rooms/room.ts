import type { HappenedEvent } from '../eventEnvelope.js';

export const roomStatuses = ['active', 'disabled'] as const;
export type RoomStatus = (typeof roomStatuses)[number];

export const webRtcTopics = ['webrtc:offer', 'webrtc:answer', 'webrtc:candidate', 'webrtc:state'] as const;

/** How a room came to be: by the API, by `rooms/ensure` (these are capped), or from a blueprint (these are static). */
export type RoomOrigin = 'api' | 'ensure' | 'blueprint';

export interface RoomFields {
  readonly roomId: string;
  readonly appId: string;
  readonly projectId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly topics: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly origin: RoomOrigin;
}

export interface Room extends RoomFields {
  readonly status: RoomStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type RoomChanges = Partial<Pick<Room, 'name' | 'description' | 'status' | 'topics' | 'metadata'>>;

export type RoomEvent =
  | { readonly type: 'RoomCreated'; readonly data: RoomFields }
  | {
      readonly type: 'RoomUpdated';
      readonly data: { readonly appId: string; readonly roomId: string; readonly changes: RoomChanges };
    }
  | { readonly type: 'RoomDeleted'; readonly data: { readonly appId: string; readonly roomId: string } };

/** All rooms of an app share a stream: their slugs are unique and the provisioned ones are capped together. */
export const roomsStream = (appId: string): string => `rooms-${appId}`;

export const createdRoom = (fields: RoomFields, at: string): Room => ({
  ...fields,
  status: 'active',
  createdAt: at,
  updatedAt: at,
});

export const evolveRoom = (room: Room | undefined, event: HappenedEvent<RoomEvent>): Room | undefined => {
  switch (event.type) {
    case 'RoomCreated':
      return createdRoom(event.data, event.occurredAt);
    case 'RoomUpdated':
      return room && { ...room, ...event.data.changes, updatedAt: event.occurredAt };
    case 'RoomDeleted':
      return undefined;
  }
};
