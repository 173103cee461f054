import { createCommandApi } from '@roomwire/command-api/commandApi';
import { createCommandHandler } from '@roomwire/command-api/handling/commandHandler';
import { createGateway } from '@roomwire/gateway/gateway';
import { createProjections } from '@roomwire/projections/projections';
import { systemClock as clock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom as random } from '@roomwire/shared/adapters/system/systemRandom';
import { createSessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import type { Logger } from '@roomwire/shared/ports/logger';
import { once } from '@roomwire/shared/runtime/service';
import type { Config } from '../config/config.js';
import { createClosingStack, type ClosingStack } from './closingStack.js';
import { provisionFirstStart, type Credentials } from './firstStart.js';
import { createHttpFront } from './httpFront.js';
import { loadSecrets } from './keptSecrets.js';
import { openAdapters } from './openAdapters.js';

export interface Standalone {
  /** Without a path, e.g. `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly credentialsFile: string;
  /** The credentials that this start has made; undefined unless it was the first. */
  readonly firstCredentials: Credentials | undefined;
  close(): Promise<void>;
}

/** Requests and sockets under way get this long to end. */
const graceMs = 5_000;

/** Runs every service of Roomwire in this process, on the files of the data folder. */
export const startStandalone = async (config: Config, logger: Logger): Promise<Standalone> => {
  const closing = createClosingStack();
  try {
    return await start(config, logger, closing);
  } catch (error) {
    await closing.closeAll().catch(() => undefined);
    throw error;
  }
};

const start = async (config: Config, logger: Logger, closing: ClosingStack): Promise<Standalone> => {
  const { folder, log, views, bus } = await openAdapters(config.dataDir, logger, closing);
  const secrets = await loadSecrets(folder.file('secrets.json'), config);

  const front = createHttpFront();
  const baseUrl = await front.listen(config.host, config.port);
  closing.push(() => front.close(graceMs));

  const projections = createProjections({ log, views, bus, logger });
  closing.push(() => projections.close());
  await projections.start();
  await projections.caughtUp;

  const credentialsFile = folder.file('credentials.json');
  const firstCredentials = await provisionFirstStart(
    {
      file: credentialsFile,
      sessionSecret: secrets.sessionSecret,
      commands: createCommandHandler({ log, views, random, logger }),
      clock,
      random,
    },
    (await log.head()) === undefined,
  );

  const { publishRate, idleTimeoutMs, revalidationMs, oidc } = config;
  const gateway = createGateway({
    views,
    bus,
    clock,
    logger,
    options: { publishRate, idleTimeoutMs, revalidationMs },
  });
  closing.push(() => gateway.close());
  await gateway.start();
  gateway.attach(front.server);

  const sessions = createSessionVerifier(
    { secret: secrets.sessionSecret, ...(oidc === undefined ? {} : { oidc }) },
    clock,
  );
  front.serve(createCommandApi({ log, views, sessions, clock, random, logger }));
  closing.push(async () => front.withdraw());
  logger.info('Ready', { url: baseUrl });

  return { baseUrl, credentialsFile, firstCredentials, close: once(() => closing.closeAll()) };
};
