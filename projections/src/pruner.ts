import { Outage, type OutageDeps } from '@roomwire/shared/runtime/outage';
import { once, type Service } from '@roomwire/shared/runtime/service';

interface PrunerDeps extends Pick<OutageDeps, 'logger' | 'lost' | 'back'> {
  readonly everyMs: number;
  readonly prune: () => Promise<void>;
}

/** Prunes at the start and at intervals, one time after the other; what fails is tried again. */
export const createPruner = ({ everyMs, prune, ...told }: PrunerDeps): Service => {
  const outage = new Outage(told);
  let pruning: Promise<void> | undefined;
  const pruneOnce = async (): Promise<void> => {
    try {
      await prune();
      outage.over();
    } catch (error) {
      outage.failed(error);
    } finally {
      pruning = undefined;
    }
  };

  let timer: NodeJS.Timeout | undefined;
  return {
    async start() {
      timer = setInterval(() => void (pruning ??= pruneOnce()), everyMs).unref();
      pruning = pruneOnce();
    },
    /** Resolves when what is under way has ended. */
    close: once(async () => {
      clearInterval(timer);
      await pruning;
    }),
  };
};

/** What follows the log and prunes as well. */
export const followingAndPruning = (follower: Service, pruner: Service): Service => ({
  async start() {
    await follower.start();
    await pruner.start();
  },
  close: once(async () => {
    const stopped = pruner.close();
    await follower.close();
    await stopped;
  }),
});
