import { parseTopicAddress } from '@roomwire/shared/domain/topic';
import type { Identity } from './client.js';
import type { Directory } from './directory.js';
import { peekAccess, type AccessRule } from './topicAccess.js';

/** By which rule an actor may subscribe to a topic, or may not. Clients are not told: it is for the log, and for what has ended. */
export type SubscribeRule =
  AccessRule | 'address_malformed' | 'app_missing' | 'room_missing' | 'grant_expired';

/** Of an address that has just been resolved: nothing is read for it. `now`: milliseconds since 1970. */
export const subscribeRule = (
  directory: Pick<Directory, 'peek' | 'knowsApp'>,
  identity: Identity,
  address: string,
  now: number,
): SubscribeRule => {
  const parts = parseTopicAddress(address);
  if (parts === undefined) return 'address_malformed';
  const access = peekAccess(directory, identity, address);
  if (access === undefined)
    return directory.knowsApp(identity.projectId, parts.app) ? 'room_missing' : 'app_missing';
  return access.maySubscribe && access.until <= now ? 'grant_expired' : access.rule;
};
