import type { BlueprintRoom } from '@roomwire/shared/domain/blueprints/blueprint';
import { roomsStream, type RoomFields } from '@roomwire/shared/domain/rooms/room';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type { Random } from '@roomwire/shared/ports/random';
import type { CommandHandler } from '../handling/commandHandler.js';
import type { CommandContext } from '../handling/streamWriter.js';
import { roomsTarget } from './decider.js';
import { staticRoomChanges } from './staticRooms.js';

/** Far more than the largest definition needs; only others who keep undoing the work get there. */
const mostParts = 100;

/** Makes these the static rooms of an app. Done again after a failure, it goes on where it was. */
export const placeStaticRooms = async (
  commands: CommandHandler,
  appId: string,
  rooms: readonly RoomFields[],
  context: CommandContext,
): Promise<void> => {
  for (let part = 0; part < mostParts; part += 1) {
    const left = await commands.execute(
      roomsTarget(appId),
      { type: 'PlaceStaticRooms', appId, rooms },
      context,
      (state) => staticRoomChanges(state, appId, rooms).length,
    );
    if (left === 0) return;
  }
  throw new RevisionConflict(roomsStream(appId));
};

/** The rooms of a blueprint as those of an app, whose topics they take where they have none of their own. */
export const staticRoomsOf = (
  rooms: readonly BlueprintRoom[],
  app: { readonly appId: string; readonly projectId: string; readonly topics: readonly string[] },
  random: Random,
): readonly RoomFields[] =>
  rooms.map((room) => ({
    roomId: random.uuid(),
    appId: app.appId,
    projectId: app.projectId,
    name: room.name,
    slug: room.slug,
    description: room.description,
    topics: room.topics.length === 0 ? app.topics : room.topics,
    metadata: room.metadata,
    origin: 'blueprint',
  }));
