import type { ChannelReader } from '@roomwire/shared/ports/messageBus';
import { liveMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { overlaid } from './overlaid.js';
import type { WorldOptions } from './world.js';

/**
 * The gateway subscribes to the messages of a room of its world when the promise for that room has resolved. On engines it may own jobs of
 * other tests, whose rooms are none of this one's.
 */
export const joiningAfter =
  (join: (room: string) => Promise<unknown> | void): NonNullable<WorldOptions['bus']> =>
  (real, projectId) =>
    overlaid(real, {
      read: async (...args) => {
        const reader: ChannelReader = await real.read(...args);
        if (args[0].name !== liveMessages.name) return reader;
        return overlaid(reader, {
          subscribe: async (room) => {
            if (room.startsWith(`${projectId}/`)) await join(room);
            await reader.subscribe(room);
          },
        });
      },
    });
