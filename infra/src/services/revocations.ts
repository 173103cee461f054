import {
  expireRevocations,
  type ExpireRevocationsDeps,
} from '@roomwire/command-api/revocations/expireRevocations';
import { createPruner } from '@roomwire/projections/pruner';
import type { ServiceContext } from './service.js';

const everyMs = 600_000;

/** Ends the revocations of client tokens that are kept no longer. Readers leave them out before that. */
export const startRevocationPruner = async (
  { closing, clock, logger, random }: Pick<ServiceContext, 'closing' | 'clock' | 'logger' | 'random'>,
  { log, views }: Pick<ExpireRevocationsDeps, 'log' | 'views'>,
): Promise<void> => {
  const pruner = createPruner({
    ...{ logger, everyMs },
    lost: 'Revocations that have expired cannot be removed; retrying',
    back: 'Revocations that have expired are removed again',
    prune: () => expireRevocations({ log, views, clock, random }),
  });
  closing.push(() => pruner.close());
  await pruner.start();
};
