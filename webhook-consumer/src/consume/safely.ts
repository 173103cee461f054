import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';

const pauseMs = 500;

/**
 * Puts on the bus what follows a call, again and again while the bus is out of reach: to give up would be to make the
 * call once more. Rejects when `isOver` says that this process ends, and another one will.
 */
export const safely = async (put: () => Promise<void>, isOver: () => boolean): Promise<void> => {
  for (;;) {
    try {
      return await put();
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || isOver()) throw error;
      await pause(pauseMs);
    }
  }
};
