import { maxPresenceBytes } from '@roomwire/shared/wire/protocol/limits';
import { isCurrent } from '../access/topicAccess.js';
import type { Handler } from './handler.js';

/** [WS-PRES-1] Answered only where it is refused; the next frame is handled when it is in force. */
export const presence: Handler<'presence'> = async (session, { roomId, data }, core) => {
  // [WS-PRES-8] The deprecated form.
  if (roomId === undefined) return;
  if (!core.presence.isWithinRate(session)) return 'rateLimited';
  if (data.length > maxPresenceBytes) return 'presenceTooLarge';
  if (session.identity.actorType === 'observer') return 'unknownTopic';
  const access = await core.presence.find(session, roomId);
  if (access === undefined) return 'unknownTopic';
  if (session.isOver) return;
  const error = await core.presence.announce(session, roomId, access, data);
  // A change that came while the bus was asked may have found the session elsewhere.
  if (!isCurrent(access)) core.revalidator.recheckProject(session.identity.projectId);
  return error;
};
