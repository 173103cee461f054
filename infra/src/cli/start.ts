import type { Command } from 'commander';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import type { Logger } from '@roomwire/shared/ports/logger';
import { DataFolderInUse } from '@roomwire/shared/ports/errors';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import { firstSession } from '../standalone/firstSession.js';
import { startStandalone, type Standalone } from '../standalone/standalone.js';
import { exitCodes, fail } from './fail.js';

export const addStart = (program: Command): void => {
  program
    .command('start')
    .description(
      'run the whole service in this process, on the files of the data folder (settings: ROOMWIRE_…)',
    )
    .action(start);
};

const start = async (): Promise<void> => {
  const config = configOrExit();
  const logger = createWinstonLogger(config.logLevel);
  dieOfDefects(logger);
  const service = await startOrExit(config, logger);
  closeOnSignal(service, logger);
  process.stdout.write(greeting(service));
};

const configOrExit = (): Config => {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
    throw error;
  }
};

const startOrExit = async (config: Config, logger: Logger): Promise<Standalone> => {
  try {
    return await startStandalone(config, logger);
  } catch (error) {
    if (error instanceof DataFolderInUse) return fail(error.message);
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      return fail(`Port ${config.port} of ${config.host} is in use; set ROOMWIRE_PORT to another one`);
    logger.error('The start failed', { error });
    return fail(`The start failed: ${(error as Error).message}`);
  }
};

const greeting = ({ baseUrl, credentialsFile, firstCredentials }: Standalone): string =>
  firstCredentials === undefined
    ? `Roomwire is ready on ${baseUrl}; the first credentials are in ${credentialsFile}\n`
    : `${firstSession(baseUrl, credentialsFile, firstCredentials)}\nRoomwire is ready on ${baseUrl}\n`;

/** The first signal closes everything in order; a second one does not wait for that. */
const closeOnSignal = (service: Standalone, logger: Logger): void => {
  let closing = false;
  const close = (signal: string): void => {
    if (closing) process.exit(exitCodes.failed);
    closing = true;
    logger.info('Closing', { signal });
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error('The close failed', { error });
        process.exit(exitCodes.failed);
      },
    );
  };
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
};

/** After an error that nobody expected the state of the process is not known: say so and let it be started again. */
const dieOfDefects = (logger: Logger): void => {
  process.on('uncaughtException', (error) => {
    logger.error('Uncaught error', { error });
    process.exitCode = exitCodes.failed;
    setImmediate(() => process.exit(exitCodes.failed));
  });
};
