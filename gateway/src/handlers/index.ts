import type { ClientFrame, ClientFrameType } from '@roomwire/shared/wire/protocol/clientFrames';
import type { GatewayCore } from '../core.js';
import type { Session } from '../session/session.js';
import { ack, batchAck } from './ack.js';
import { auth } from './auth.js';
import type { Handler, Outcome } from './handler.js';
import { getPresence } from './getPresence.js';
import { inMeasure } from './inMeasure.js';
import { getLobbyPresence, lobbySubscribe, lobbyUnsubscribe } from './lobby.js';
import { presence } from './presence.js';
import { publish } from './publish.js';
import { reauth } from './reauth.js';
import { setFilters } from './setFilters.js';
import { subscribe } from './subscribe.js';
import { unsubscribe } from './unsubscribe.js';

/** One handler a frame type; a missing one is a type error. */
const handlers: { readonly [T in ClientFrameType]: Handler<T> } = {
  auth,
  reauth: inMeasure(reauth),
  subscribe: inMeasure(subscribe),
  unsubscribe: inMeasure(unsubscribe),
  publish,
  ack,
  batchAck,
  setFilters: inMeasure(setFilters),
  presence,
  getPresence: inMeasure(getPresence),
  lobbySubscribe: inMeasure(lobbySubscribe),
  lobbyUnsubscribe: inMeasure(lobbyUnsubscribe),
  getLobbyPresence: inMeasure(getLobbyPresence),
};

export const dispatch = (session: Session, frame: ClientFrame, core: GatewayCore): Outcome =>
  (handlers[frame.type] as Handler<ClientFrameType>)(session, frame, core);
