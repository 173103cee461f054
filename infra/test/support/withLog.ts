import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Config } from '../../src/config/config.js';
import { withAdapters } from '../../src/engines/adapters.js';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';

/** The event log of a configuration, for as long as `use` needs it. On files, while nothing else runs on the folder. */
export const withLog = <T>(config: Config, use: (log: EventLog) => Promise<T>): Promise<T> =>
  withAdapters(config, createRecordingLogger().logger, async (adapters) => use(await adapters.log()));
