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
  secrets,
  show,
  tracing,
}) => {
  // A gateway on engines needs these alone, and has no folder to look for the session secret in.
  const masterKeys = givenMasterKeys(config) ?? (await secrets()).masterKeys;
  const [views, bus, sessions] = [await adapters.views(), await adapters.bus(), await adapters.sessions()];
  const messageRecord = config.messageRecording ? await adapters.messageRecord() : undefined;
  const groupStore = config.messageRecording ? await adapters.groups() : undefined;
  const { publishRate, idleTimeoutMs, revalidationMs, wsOrigins } = config;
  const gateway = createGateway({
    views,
    bus,
    sessions,
    messageRecord,
    groupStore,
    clock,
    random,
    logger,
    secretBox: createSecretBox(masterKeys),
    tracing,
    options: { publishRate, idleTimeoutMs, revalidationMs, allowedOrigins: wsOrigins ?? '*' },
  });
  closing.push(() => gateway.close());
  show({ name: 'gateway', collect: gateway.collect });
  await gateway.start();
  gateway.attach(front.server);
};
