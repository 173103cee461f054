import { createCommandApi } from '@roomwire/command-api/commandApi';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { createSessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import type { StartService } from './service.js';

export const startCommandApi: StartService = async ({
  config,
  logger,
  clock,
  random,
  adapters,
  front,
  secrets,
}) => {
  const { sessionSecret, masterKeys } = await secrets();
  const oidc = config.oidc === undefined ? {} : { oidc: config.oidc };
  const sessions = createSessionVerifier({ secret: sessionSecret, ...oidc }, clock);
  const [log, views] = [await adapters.log(), await adapters.views()];
  const secretBox = createSecretBox(masterKeys);
  front.serve(createCommandApi({ log, views, sessions, secretBox, clock, random, logger }));
};
