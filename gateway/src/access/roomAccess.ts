import type { Clock } from '@roomwire/shared/ports/clock';
import type { Identity } from '../session/identity.js';
import type { Directory } from './directory.js';
import { resolveAccess, type TopicAccess } from './topicAccess.js';

/** What tells which rooms an actor may read. */
export interface ReadingDeps {
  readonly directory: Directory;
  readonly clock: Clock;
}

/** Whether an actor may know who is in a room, and the records that this rests on. */
export interface RoomReading {
  readonly isReadable: boolean;
  /** To the topic that decided; current for as long as the answer is. */
  readonly access: TopicAccess;
}

/**
 * [WS-PRES-3] A room is readable for whoever may subscribe to one of its topics, [WS-GRANT-4] until that ends by itself.
 * Undefined for a room that does not exist or has no topics. Rejects when the read models fail.
 */
export const readRoom = async (
  { directory, clock }: ReadingDeps,
  identity: Identity,
  appSlug: string,
  roomSlug: string,
): Promise<RoomReading | undefined> => {
  const place = await directory.place(identity.projectId, appSlug, roomSlug);
  let reading: RoomReading | undefined;
  for (const topic of place?.room.value.topics ?? []) {
    const access = await resolveAccess(directory, identity, `${appSlug}/${roomSlug}/${topic}`);
    if (access === undefined) continue;
    reading = { isReadable: access.maySubscribe && access.until > clock.now(), access };
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
