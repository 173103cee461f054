import { overlaid } from './overlaid.js';
import { World } from './world.js';

/**
 * A world in which something happens while a client authenticates: after its actor has been read, and before its
 * session is in the roster.
 */
export const changedMeanwhile = async (): Promise<{
  readonly world: World;
  readonly change: (happen: () => Promise<void>) => void;
  /** Ids of the actors that were read once more. */
  readonly rechecked: readonly string[];
}> => {
  const rechecked: string[] = [];
  let pending: (() => Promise<void>) | undefined;
  const world = await World.open({
    views: (real) =>
      overlaid(real, {
        get: async (view, id) => {
          if (view === 'actors') rechecked.push(id);
          const found = await real.get(view, id);
          const happen = view === 'organizations' ? pending : undefined;
          if (happen) {
            pending = undefined;
            await happen();
          }
          return found;
        },
      }),
  });
  return { world, change: (happen) => void (pending = happen), rechecked };
};
