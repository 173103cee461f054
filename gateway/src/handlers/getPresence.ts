import { presenceListFrame } from '@roomwire/shared/wire/protocol/presenceFrames';
import type { Handler } from './handler.js';

/** [WS-PRES-7] */
export const getPresence: Handler<'getPresence'> = async (session, { roomId }, core) => {
  if (roomId === undefined) {
    session.link.outbox.push(presenceListFrame(undefined, []));
    return;
  }
  const access = await core.presence.find(session, roomId);
  if (access === undefined) return 'unknownTopic';
  session.link.outbox.push(presenceListFrame(roomId, await core.presence.entries(access)));
  return;
};
