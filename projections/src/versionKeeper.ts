import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { LeftBehind, ViewVersions } from '@roomwire/shared/ports/viewStore';
import { Outage } from '@roomwire/shared/runtime/outage';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { sleep } from '@roomwire/shared/runtime/waiting';

export interface VersionKeeperDeps {
  readonly log: Pick<EventLog, 'head' | 'identity'>;
  readonly versions: ViewVersions;
  readonly logger: Logger;
  /** Between looks: the bounds of `ViewVersions` are counted in them. */
  readonly everyMs?: number;
}

/**
 * Tends the read models of other versions during a rolling upgrade. Every instance does, whether it leads or not, and while its own read
 * models are being made.
 */
export const createVersionKeeper = ({
  log,
  versions,
  logger,
  everyMs = 2_000,
}: VersionKeeperDeps): Service => {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const outage = new Outage({
    logger,
    lost: 'The read models of other versions cannot be looked after; retrying',
    back: 'The read models of other versions are looked after again',
  });
  let told = '';

  const tell = (left: readonly LeftBehind[]): void => {
    const now = JSON.stringify(left);
    if (now === told) return;
    told = now;
    for (const { version, readers } of left)
      logger.error(
        'Read models of another version are read, and nobody writes them: their readers refuse all',
        {
          ...{ version, readers, remedy: 'replace these processes, or start projections of their version' },
        },
      );
  };

  const look = async (): Promise<void> => {
    const [identity, head] = [await log.identity(), await log.head()];
    if (identity !== undefined && head !== undefined) tell(await versions.tend({ log: identity, head }));
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await look();
        outage.over();
      } catch (error) {
        // The projections report an engine that is away.
        if (!(error instanceof EngineUnavailable)) outage.failed(error);
      }
      await sleep(everyMs, closing.signal);
    }
  };

  return {
    async start() {
      running = run();
    },
    close: once(async () => {
      closing.abort();
      await running;
    }),
  };
};
