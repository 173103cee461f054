import type { ClientFrameOf, ClientFrameType } from '@roomwire/shared/wire/protocol/clientFrames';
import type { RefusalName } from '@roomwire/shared/wire/protocol/refusals';
import type { GatewayCore } from '../core.js';
import type { Session } from '../session/session.js';

/** A refusal, or nothing when the frame was handled. A promise only where something has to be waited for. */
export type Outcome = RefusalName | void | Promise<RefusalName | void>;

/** Handles one type of frame of an authenticated connection. */
export type Handler<T extends ClientFrameType> = (
  session: Session,
  frame: ClientFrameOf<T>,
  core: GatewayCore,
) => Outcome;
