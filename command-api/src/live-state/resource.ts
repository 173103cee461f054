import type { PresentActor, RoomOccupancy } from '@roomwire/shared/ports/liveState';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { messagePackAsJson } from '@roomwire/shared/wire/webhooks/messagePackAsJson';
import type { Room } from '@roomwire/shared/domain/room';
import { clampedLimit } from '../http/clampedLimit.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const mostOnPage = limitTable.presencePage.value;
const usualOnPage = 100;

const scopeParameter = s.text({
  description: 'An `accessScopeId`; without it the room outside of every scope',
});

export const presenceQuerySchema = s.queryOf({
  scope: scopeParameter,
  limit: s.number({ description: `Actors; clamped to 1-${mostOnPage}`, default: usualOnPage }),
  cursor: s.text({ format: 'uuid', description: '`next` of the previous page' }),
});

export type PresenceQuery = s.ValueOf<typeof presenceQuerySchema>;

export const limitOf = ({ limit = usualOnPage }: PresenceQuery): number => clampedLimit(limit, mostOnPage);

const presentActorSchema = s.titledObject('PresentActor', {
  actorTokenId: s.text(),
  presence: s.described(
    s.object,
    'As it was announced last; what JSON cannot hold as in the bodies of webhooks: bytes in base64, integers beyond 2^53 as text',
  ),
  joinedAt: s.described(s.time, 'Since when the actor has been present, by any of its connections'),
});

export const presencePageSchema = s.titledObject('PresencePage', {
  data: s.listOf(presentActorSchema),
  next: s.described(s.orNull(s.text()), 'For the next page; null on the last one'),
});

export const presentPresence = ({
  actorTokenId,
  presence,
  joinedAt,
}: PresentActor): s.ValueOf<typeof presentActorSchema> => ({
  actorTokenId,
  presence: JSON.parse(messagePackAsJson(presence)) as Readonly<Record<string, unknown>>,
  joinedAt: new Date(joinedAt * 1_000).toISOString(),
});

export const examplePresencePage = {
  data: [{ actorTokenId: exampleIds.actorTokenId, presence: { status: 'typing' }, joinedAt: exampleTime }],
  next: null,
};

export const occupancyQuerySchema = s.queryOf(
  {
    rooms: s.described(
      s.arrayOf(s.text(), limitTable.occupancyRooms.value, { minItems: 1 }),
      `The slug of a room, for each of up to ${limitTable.occupancyRooms.value} rooms. Those that the app does not have are left out`,
    ),
    scope: scopeParameter,
  },
  ['rooms'],
);

const roomOccupancySchema = s.titledObject('RoomOccupancy', {
  roomId: s.uuid,
  slug: s.text(),
  present: s.described(s.count, 'Actors that are present'),
  subscribers: s.described(
    s.count,
    'Connections that are subscribed to at least one topic of the room, on all gateways, at most five seconds ago',
  ),
});

export const occupancySchema = s.titledObject('Occupancy', { data: s.listOf(roomOccupancySchema) });

export const presentOccupancy = (
  { roomId, slug }: Pick<Room, 'roomId' | 'slug'>,
  { present, subscribers }: RoomOccupancy,
): s.ValueOf<typeof roomOccupancySchema> => ({ roomId, slug, present, subscribers });

export const exampleOccupancy = {
  data: [{ roomId: exampleIds.roomId, slug: 'lobby', present: 12, subscribers: 17 }],
};
