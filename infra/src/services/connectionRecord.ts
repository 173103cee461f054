import { createConnectionKeeper, type ConnectionKeeperDeps } from '@roomwire/projections/connectionKeeper';
import type { FactLog } from '@roomwire/shared/ports/connectionRecord';
import { connectionFacts } from '@roomwire/shared/wire/bus/connectionFacts';
import type { ServiceContext } from './service.js';

/** Where a gateway leaves facts: on the bus, or in the record itself where the bus is in this process. Undefined where none are wanted. */
export const factLogOf = async ({
  adapters,
  config,
}: Pick<ServiceContext, 'adapters' | 'config'>): Promise<FactLog | undefined> => {
  if (!config.connectionRecord) return undefined;
  if (config.engines.bus.onFiles) {
    const record = await adapters.connectionRecord();
    return { write: (batch) => record.write([batch]) };
  }
  const bus = await adapters.bus();
  return { write: async (batch) => void (await bus.send(connectionFacts, batch, 'stored')) };
};

/** Brings what gateways leave into the record, and keeps it in order. */
export const startConnectionKeeper = async (
  {
    adapters,
    closing,
    clock,
    config,
    logger,
    show,
  }: Pick<ServiceContext, 'adapters' | 'closing' | 'clock' | 'config' | 'logger' | 'show'>,
  follows: Pick<ConnectionKeeperDeps, 'log' | 'refusesOtherLogs'>,
): Promise<void> => {
  const record = await adapters.connectionRecord();
  const openIndexer = await adapters.factIndexing();
  const indexer = await openIndexer?.(record);
  if (indexer !== undefined) {
    closing.push(() => indexer.close());
    show({ name: 'connection-facts', collect: indexer.collect });
    await indexer.start();
  }
  // Only one process has the files: earlier gateways are gone.
  if (indexer === undefined) await record.giveUp(await record.running(), clock.now());
  const keeper = createConnectionKeeper({
    ...{ ...follows, record, clock, logger, keptMs: config.connectionRecordMs },
    isCaughtUp: async () => indexer === undefined || indexer.isCaughtUp(),
  });
  closing.push(() => keeper.close());
  show({ name: 'connection-keeper', collect: keeper.collect });
  await keeper.start();
};
