import { createCommandApi } from '@roomwire/command-api/commandApi';
import { RequestMetrics } from '@roomwire/command-api/http/requestMetrics';
import { changesOf } from '@roomwire/projections/projectors/changesOf';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { createSessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import { LastUses } from '@roomwire/shared/runtime/lastUses';
import type { StartService } from './service.js';

export const startCommandApi: StartService = async ({
  config,
  logger,
  clock,
  random,
  adapters,
  front,
  closing,
  secrets,
  show,
  tracing,
}) => {
  const { sessionSecret, masterKeys } = await secrets();
  const oidc = config.oidc === undefined ? {} : { oidc: config.oidc };
  const sessions = createSessionVerifier({ secret: sessionSecret, ...oidc }, clock);
  const [log, views] = [await adapters.log(), await adapters.views()];
  const secretBox = createSecretBox(masterKeys);
  const lastUses = new LastUses({ views, clock, logger });
  closing.push(() => lastUses.close());
  const options = {
    rateLimit: { perSecond: config.restRate, burst: config.restBurst },
    corsOrigins: config.corsOrigins,
  };
  const auditIndex = await adapters.auditIndex();
  const createFold = () => createViewFold(changesOf);
  const history = { auditIndex, createFold };
  const metrics = new RequestMetrics();
  show({ name: 'command-api', collect: metrics.collect });
  const deps = { ...history, log, views, sessions, secretBox, clock, random, logger, lastUses, tracing };
  front.serve(createCommandApi({ ...deps, metrics, options }));
};
