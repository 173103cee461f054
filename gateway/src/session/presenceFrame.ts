import type { PresenceFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { maxPresenceBytes } from '@roomwire/shared/wire/protocol/limits';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { isCurrent, type TopicAccess } from '../access/topicAccess.js';
import { inNamedRoom } from '../presence/inNamedRoom.js';
import type { Presence } from '../presence/presence.js';
import type { Revalidator } from './revalidator.js';
import type { Session } from './session.js';

export interface PresenceFrameDeps {
  readonly presence: Pick<Presence, 'ready' | 'isWithinRate' | 'find' | 'announce' | 'count' | 'leaveRoom'>;
  readonly revalidator: Pick<Revalidator, 'recheckProject'>;
}

type Outcome = ProtocolErrorName | void | Promise<ProtocolErrorName | void>;
type Handler = (session: Session, frame: PresenceFrame) => Outcome;

/** Those that ask for nothing of the others in the room are requests like any other. */
export const createPresenceHandler = (
  { presence, revalidator }: PresenceFrameDeps,
  throttled: (handle: Handler) => Handler,
): Handler => {
  /** A change of rights that arrived meanwhile has been checked against what the session had before. */
  const recheck = (session: Session, access: TopicAccess): void => {
    if (!isCurrent(access)) revalidator.recheckProject(session.identity.projectId);
  };

  /** [WS-PRES-1] Answered only when refused; the next frame is handled when it is in force. */
  const announce = async (session: Session, roomId: string, { data, keep }: PresenceFrame) => {
    if (!presence.isWithinRate(session)) return 'rateLimited';
    if (data.length > maxPresenceBytes) return 'presenceTooLarge';
    // [WS-OBS-3]
    if (session.identity.observes) return 'observerReadOnly';
    if (session.identity.actorType === 'observer') return 'unknownTopic';
    return inNamedRoom(presence, session, roomId, async (access) => {
      const error = await presence.announce(session, { roomId, access, keep, presence: data });
      recheck(session, access);
      return error;
    });
  };

  /** [WS-PRES-17] */
  const count = async (session: Session, roomId: string) => {
    await presence.ready;
    return inNamedRoom(presence, session, roomId, (access) => {
      const error = presence.count(session, roomId, access);
      recheck(session, access);
      return error;
    });
  };

  const ask = throttled((session, { roomId = '', leave }) =>
    leave ? presence.leaveRoom(session, roomId) : count(session, roomId),
  );

  return (session, frame) => {
    const { roomId, leave, mode } = frame;
    // [WS-PRES-8] The deprecated form.
    if (roomId === undefined) return;
    return leave || mode === 'count' ? ask(session, frame) : announce(session, roomId, frame);
  };
};
