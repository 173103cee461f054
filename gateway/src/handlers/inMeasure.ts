import { setTimeout as pause } from 'node:timers/promises';
import type { ClientFrameType } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Handler } from './handler.js';

/**
 * [WS-CONN-10] Lets a connection that asks too much wait, with all that is behind it: nothing of what it asks for is lost,
 * and it takes no more than its share of the gateway and of what stands behind it.
 */
export const inMeasure =
  <T extends ClientFrameType>(handle: Handler<T>): Handler<T> =>
  (session, frame, core) => {
    const waitMs = session.requests?.take(core.clock.monotonic()) ?? 0;
    if (waitMs === 0) return handle(session, frame, core);
    core.metrics.requestsSlowed++;
    return pause(waitMs, undefined, { ref: false }).then(() =>
      session.isOver ? undefined : handle(session, frame, core),
    );
  };
