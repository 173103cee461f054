import { createCommandApi } from '@roomwire/command-api/commandApi';
import { OutcomeWatch } from '@roomwire/command-api/webhook-outcomes/outcomeWatch';
import { RequestMetrics } from '@roomwire/command-api/http/requestTelemetry';
import { changesOf } from '@roomwire/projections/projectors';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { createSessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import { LastUses } from '@roomwire/shared/runtime/lastUses';
import type { StartService } from './service.js';

export const startCommandApi: StartService = async ({
  services,
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
  const log = await adapters.log();
  const { views, usage } = await adapters.viewStores();
  const secretBox = createSecretBox(masterKeys);
  const lastUses = new LastUses({ usage, clock, logger });
  closing.push(() => lastUses.close());
  const options = {
    rateLimit: { perSecond: config.restRate, burst: config.restBurst },
    corsOrigins: config.corsOrigins,
  };
  const auditIndex = await adapters.auditIndex();
  const createFold = () => createViewFold(changesOf);
  const history = { auditIndex, createFold };
  // On files the calls are made where the queues are, in the same process or nowhere.
  const hasBus = !config.engines.bus.onFiles || services.includes('webhook-consumer');
  const openBus = hasBus ? () => adapters.watchedBus() : undefined;
  const outcomes = new OutcomeWatch({ openBus, clock, random });
  closing.push(() => outcomes.close());
  const metrics = new RequestMetrics();
  show({ name: 'command-api', collect: metrics.collect });
  const ports = { log, views, usage, sessions, secretBox, clock, random, logger, tracing };
  front.serve(createCommandApi({ ...history, ...ports, lastUses, outcomes, metrics, options }));
};
