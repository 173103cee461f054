import type { Identity } from '../session/identity.js';
import type { Directory } from './directory.js';
import { resolveAccess, type TopicAccess } from './topicAccess.js';

/** Whether an actor may know who is in a room, and the records that this rests on. */
export interface RoomReading {
  readonly isReadable: boolean;
  /** To the topic that decided; current for as long as the answer is. */
  readonly access: TopicAccess;
}

/**
 * [WS-PRES-3] A room is readable for whoever may subscribe to one of its topics. Undefined for a room that does not
 * exist or has no topics. Rejects when the read models fail.
 */
export const readRoom = async (
  directory: Directory,
  identity: Identity,
  appSlug: string,
  roomSlug: string,
): Promise<RoomReading | undefined> => {
  const place = await directory.place(identity.projectId, appSlug, roomSlug);
  let reading: RoomReading | undefined;
  for (const topic of place?.room.value.topics ?? []) {
    const access = await resolveAccess(directory, identity, `${appSlug}/${roomSlug}/${topic}`);
    if (access === undefined) continue;
    reading = { isReadable: access.maySubscribe, access };
    if (reading.isReadable) return reading;
  }
  return reading;
};

/** The access to a readable room, undefined for every other. */
export const accessToRoom = async (
  ...room: Parameters<typeof readRoom>
): Promise<TopicAccess | undefined> => {
  const reading = await readRoom(...room);
  return reading?.isReadable ? reading.access : undefined;
};
