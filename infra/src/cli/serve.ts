import { setFlagsFromString } from 'node:v8';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { DamagedFile, DataFolderInUse, MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Command } from 'commander';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import { otherLogRemedy } from '../engines/derivedData.js';
import { exitCodes, fail } from './fail.js';
import { firstSession } from '../standalone/firstStart.js';
import { startStandalone, type Standalone } from '../standalone/standalone.js';
import { run } from '../services/run.js';
import { requireSettings, serviceNames } from '../services/service.js';

interface Starting<T> {
  readonly started: Promise<T>;
  readonly close: () => Promise<void>;
}

/**
 * How V8 collects garbage; decision 51 has the figures.
 * - How much may be allocated from one full collection to the next, of what was alive. V8 itself allows less where little is
 *   allocated, and collects as often as a 30th of all time allows. With more, the memory of buffers reaches a bound of its own first,
 *   beyond which each new buffer waits for 5 to 10 ms of marking.
 * - What is alive is marked by the thread for it. With tasks, the one that serves is busy with marking for 90 of 140 ms each time.
 */
const garbageCollection = ['--heap-growing-percent=50', '--no-incremental-marking-task'];

/** Runs what `start` starts until a signal ends it. Does not return when the configuration or the start is bad. */
export const serve = async <T>(start: (config: Config, logger: Logger) => Starting<T>): Promise<T> => {
  for (const flag of garbageCollection) setFlagsFromString(flag);
  try {
    const config = readConfig(process.env);
    const logger = createWinstonLogger(config.logLevel);
    dieOfDefects(logger);
    const starting = start(config, logger);
    closeOnSignal(starting, logger);
    return await starting.started.catch((error: unknown) => failedStart(error, config, logger));
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
    throw error;
  }
};

const failedStart = (error: unknown, config: Config, logger: Logger): never => {
  if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
  if (error instanceof DataFolderInUse || error instanceof DamagedFile) return fail(error.message);
  if (error instanceof MadeFromAnotherLog) return fail(`${error.message}. ${otherLogRemedy}`);
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return fail(portInUse((error as { readonly port?: number }).port, config));
  // A signal ended the waiting for an engine.
  if ((error as Error).name === 'AbortError') process.exit(0);
  const isSetting = settingErrors.has((error as NodeJS.ErrnoException).code ?? '');
  if (!isSetting) logger.error('The start failed', { error });
  return fail(
    `The start failed: ${(error as Error).message}`,
    isSetting ? exitCodes.misused : exitCodes.failed,
  );
};

const portInUse = (taken: number | undefined, { host, port, opsHost, opsPort }: Config): string =>
  taken === opsPort && taken !== port
    ? `Port ${opsPort} of ${opsHost} is in use; set ROOMWIRE_OPS_PORT to another one, or to 0 for no metrics`
    : `Port ${port} of ${host} is in use; set ROOMWIRE_PORT to another one`;

/** What the system says of a host or a folder that cannot be used: the message alone tells which setting is wrong. */
const settingErrors = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'ENOENT',
]);

/** Ctrl-C on `npm start` comes twice, from the terminal and from npm. */
const sameSignalMs = 2_000;

/** The first signal closes everything in order; a later one ends the process at once. */
const closeOnSignal = (service: Starting<unknown>, logger: Logger): void => {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const close = (signal: NodeJS.Signals): void => {
    const since = performance.now();
    const insist = (again: NodeJS.Signals): void => {
      if (performance.now() - since > sameSignalMs) endBy(again);
    };
    for (const one of signals) process.on(one, insist).off(one, close);
    logger.info('Closing', { signal });
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error('The close failed', { error });
        process.exit(exitCodes.failed);
      },
    );
  };
  for (const one of signals) process.on(one, close);
};

/** After an unexpected error the state of the process is unknown: log it and end, so that a supervisor restarts it. */
const dieOfDefects = (logger: Logger): void => {
  process.on('uncaughtException', (error) => {
    logger.error('Uncaught error', { error });
    setImmediate(endBy, 'SIGKILL');
  });
};

/**
 * For an end that cannot wait. `process.exit` would: for the thread that writes to LMDB, which for its part may wait for
 * this one. What was acknowledged is on disk, whatever the end.
 */
const endBy = (signal: NodeJS.Signals): void => {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
};

export const addStart = (program: Command): void => {
  program
    .command('start')
    .description('run the whole service in this process, on files unless engines are configured (ROOMWIRE_…)')
    .action(async () => {
      process.stdout.write(greeting(await serve(startStandalone), process.stdout.isTTY));
    });
};

const greeting = (
  { baseUrl, credentialsFile, firstCredentials: credentials, signInCode }: Standalone,
  isTerminal: boolean,
): string => {
  if (credentialsFile === undefined) return `Roomwire is ready on ${baseUrl}\n`;
  if (credentials === undefined || signInCode === undefined)
    return `Roomwire is ready on ${baseUrl}; the first credentials are in ${credentialsFile}\n`;
  const shown = firstSession(baseUrl, { credentialsFile, credentials, signInCode }, isTerminal);
  return `${shown}\nRoomwire is ready on ${baseUrl}\n`;
};

/** A command for each service: the distributed profile runs any number of each, on engines. */
export const addServices = (program: Command): void => {
  for (const name of serviceNames) {
    program
      .command(name)
      .description(`run only the ${name} in this process, on the engines of the configuration`)
      .action(async () => {
        const { baseUrl } = await serve((config, logger) => {
          requireSettings(name, config);
          return run([name], config, logger);
        });
        process.stdout.write(`Roomwire ${name} is ready on ${baseUrl}\n`);
      });
  }
};
