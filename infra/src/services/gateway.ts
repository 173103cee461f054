import { createGateway } from '@roomwire/gateway/gateway';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { givenMasterKeys } from '../process/keptSecrets.js';
import type { StartService } from './service.js';

export const startGateway: StartService = async ({
  config,
  logger,
  clock,
  random,
  adapters,
  front,
  closing,
  draining,
  secrets,
  show,
  tracing,
}) => {
  // A gateway on engines needs these alone, and has no folder to look for the session secret in.
  const masterKeys = givenMasterKeys(config) ?? (await secrets()).masterKeys;
  const { views, usage } = await adapters.viewStores();
  const [bus, sessions] = [await adapters.bus(), await adapters.sessions()];
  const messageStore = config.messageRecording ? await adapters.messageStore() : undefined;
  const groupStore = config.messageRecording ? await adapters.groups() : undefined;
  const { publishRate, requestRate, retainedBytes, idleTimeoutMs, revalidationMs, wsOrigins } = config;
  const gateway = createGateway({
    views,
    usage,
    bus,
    sessions,
    messageStore,
    groupStore,
    clock,
    random,
    logger,
    secretBox: createSecretBox(masterKeys),
    tracing,
    options: {
      ...{ publishRate, requestRate, retainedBytes, idleTimeoutMs, revalidationMs },
      allowedOrigins: wsOrigins ?? '*',
    },
  });
  closing.push(() => gateway.close());
  draining.push(() => gateway.drain(config.drainMs));
  show({ name: 'gateway', collect: gateway.collect });
  await gateway.start();
  gateway.attach(front.server);
};
