import { createCommandHandler } from '@roomwire/command-api/handling/commandHandler';
import { mintSignInCode } from '@roomwire/shared/credentials/signInCode';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Config } from '../config/config.js';
import { usesDataFolder } from '../engines/engines.js';
import { startFactJournal } from '../services/starters.js';
import { run, type Running } from '../services/run.js';
import { requireSecrets, type ServiceContext } from '../services/service.js';
import { firstOperator, provisionFirstStart, type Credentials } from './firstStart.js';

export interface Standalone extends Running {
  /** Undefined where the event log is not on files: there the operator makes the first organization through REST. */
  readonly credentialsFile: string | undefined;
  /** The credentials that this start has made; undefined unless it was the first. */
  readonly firstCredentials: Credentials | undefined;
  /** Signs their operator in to the console; there is one with them. */
  readonly signInCode: string | undefined;
}

/** Runs every service of Roomwire in this process. */
export const startStandalone = (
  config: Config,
  logger: Logger,
): { readonly started: Promise<Standalone>; readonly close: () => Promise<void> } => {
  requireSecrets(config);
  let credentialsFile: string | undefined;
  let firstCredentials: Credentials | undefined;
  let signInCode: string | undefined;

  const provision = async (context: ServiceContext): Promise<void> => {
    if (!config.engines.eventLog.onFiles) return;
    const { adapters, clock, random, secrets } = context;
    const [log, views] = [await context.log(), await adapters.views()];
    credentialsFile = (await adapters.folder()).file('credentials.json');
    const { sessionSecret } = await secrets();
    const commands = createCommandHandler({ log, views, random, logger });
    const isFirst = (await log.head()) === undefined;
    firstCredentials = await provisionFirstStart(
      { file: credentialsFile, sessionSecret, commands, clock, random },
      isFirst,
    );
    if (firstCredentials !== undefined)
      signInCode = mintSignInCode(
        sessionSecret,
        firstOperator(firstCredentials.organizationId),
        clock,
        random,
      );
  };

  const { started, close } = run(
    ['projections', 'command-api', 'gateway', 'webhook-consumer'],
    config,
    logger,
    {
      // The folder first, so that a second process on it learns of that and not of a port.
      before: async (adapters) => void (usesDataFolder(config.engines) && (await adapters.folder())),
      between: async (surroundings) => {
        await provision(surroundings);
        await startFactJournal(surroundings);
      },
    },
  );
  return {
    started: started.then((running) => ({ ...running, credentialsFile, firstCredentials, signInCode })),
    close,
  };
};
