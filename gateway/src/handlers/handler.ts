import type { ClientFrameOf, ClientFrameType } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { GatewayCore } from '../core.js';
import type { Session } from '../session/session.js';

/** A protocol error, or nothing when the frame was handled. A promise only where something has to be waited for. */
export type Outcome = ProtocolErrorName | void | Promise<ProtocolErrorName | void>;

/** Handles one type of frame of an authenticated connection. */
export type Handler<T extends ClientFrameType> = (
  session: Session,
  frame: ClientFrameOf<T>,
  core: GatewayCore,
) => Outcome;
