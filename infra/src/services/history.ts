import { createHistoryKeeper, type HistoryKeeperDeps } from '@roomwire/projections/historyKeeper';
import type { ServiceContext } from './service.js';

/** Beside the projections, and not behind them: what reads messages back waits for it. */
export const startHistoryArchiver = async ({
  adapters,
  closing,
  clock,
  show,
}: Pick<ServiceContext, 'adapters' | 'closing' | 'clock' | 'show'>): Promise<void> => {
  const openArchiver = await adapters.historyArchiving();
  if (openArchiver === undefined) return;
  const archiver = await openArchiver(clock);
  closing.push(() => archiver.close());
  show({ name: 'history', collect: archiver.collect });
  await archiver.start();
};

/** Deletes histories with what they belong to, and what has expired. */
export const startHistoryKeeper = async (
  { adapters, closing, clock, logger }: Pick<ServiceContext, 'adapters' | 'closing' | 'clock' | 'logger'>,
  follows: Pick<HistoryKeeperDeps, 'log' | 'views' | 'refusesOtherLogs'>,
): Promise<void> => {
  const [index, history] = [await adapters.historyIndex(), await adapters.history()];
  const keeper = createHistoryKeeper({ ...follows, index, history, clock, logger });
  closing.push(() => keeper.close());
  await keeper.start();
};

/** In the background: other reads, and commands, do not wait for the bus. */
export const provideHistory = ({ adapters, backends, closing, logger }: ServiceContext): void => {
  let isClosing = false;
  closing.push(async () => void (isClosing = true));
  adapters.history().then(
    (history) => (backends.history = history),
    (error: unknown) => {
      if (!isClosing) logger.error('Message history cannot be read over HTTP', { error });
    },
  );
};
