import type { Schemas } from '../../api/schemas.js';

export type App = Schemas['App'];
export type Room = Schemas['Room'];
export type Grant = Schemas['RoomGrant'];
export type TopicConfig = Schemas['TopicConfigInput'];
export type AppChanges = Schemas['AppChanges'];
export type RoomChanges = Schemas['RoomChanges'];
export type NewGrant = Schemas['NewRoomGrant'];
