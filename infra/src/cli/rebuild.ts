import type { Command } from 'commander';
import { rebuildViews, type RebuildReport } from '@roomwire/projections/rebuildViews';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { DataFolderInUse } from '@roomwire/shared/ports/errors';
import { derivedData, provenanceIn } from '../engines/derivedData.js';
import { openForAudit } from '../audit/openForAudit.js';
import { progressBar, type ProgressBar } from './progressBar.js';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import { RebuildGoesOn, requestRebuild } from '../services/rebuildRequests.js';
import { exitCodes, fail } from './fail.js';

export const addRebuild = (program: Command): void => {
  program.commands
    .find((command) => command.name() === 'projections')
    ?.command('rebuild')
    .description('rebuild the read models from the event log, beside the live ones, and switch to them')
    .option('--anew', 'only remove what was made from another event log; the next start rebuilds it')
    .action(({ anew = false }: RebuildOptions) => (anew ? removeForeign() : rebuild()));
};

interface RebuildOptions {
  readonly anew?: boolean;
}

const removeForeign = async (): Promise<void> => {
  try {
    const config = readConfig(process.env);
    await openForAudit(config, createWinstonLogger(config.logLevel), async (adapters) => {
      const [log, derived] = [await adapters.log(), await derivedData(adapters)];
      const provenances = await Promise.all(derived.map((made) => provenanceIn(log, made)));
      if (provenances.every((found) => found === undefined || found === 'this log'))
        throw new Error('Everything fits the event log: there is nothing to remove');
      for (const made of derived) await made.clear();
    });
    process.stdout.write('Removed what another event log has left; the next start makes it anew\n');
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message, exitCodes.misused);
    fail((error as Error).message);
  }
};

const rebuild = async (): Promise<void> => {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stop.abort(new Error('Stopped')));
  const from = performance.now();
  try {
    const { events } = await rebuildWith(readConfig(process.env), stop.signal);
    const seconds = ((performance.now() - from) / 1_000).toFixed(1);
    process.stdout.write(`Rebuilt the read models from ${events} events in ${seconds} s\n`);
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message, exitCodes.misused);
    if (error instanceof RebuildGoesOn) fail(error.message);
    fail(`${(error as Error).message}; the read models are unchanged`);
  }
};

/** In this process, or in the one that has the data folder. */
const rebuildWith = async (config: Config, signal: AbortSignal): Promise<RebuildReport> => {
  const logger = createWinstonLogger(config.logLevel);
  let bar: ProgressBar | undefined;
  try {
    return await openForAudit(config, logger, async (adapters) => {
      const [log, views] = [await adapters.log(), await adapters.views()];
      bar = progressBar('Building', await log.head(), process.stderr);
      return rebuildViews({ log, views, logger, signal, onProgress: bar.show });
    });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    return await requestRebuild(config.dataDir, {
      signal,
      onStatus: ({ head, events, position }) => {
        bar ??= progressBar('Building', head, process.stderr);
        if (position !== undefined) bar.show(events, position);
      },
    });
  } finally {
    bar?.end();
  }
};
