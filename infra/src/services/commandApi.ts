import { createCommandApi } from '@roomwire/command-api/commandApi';
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
  const { sessionSecret } = await secrets();
  const oidc = config.oidc === undefined ? {} : { oidc: config.oidc };
  const sessions = createSessionVerifier({ secret: sessionSecret, ...oidc }, clock);
  const [log, views] = [await adapters.log(), await adapters.views()];
  front.serve(createCommandApi({ log, views, sessions, clock, random, logger }));
};
