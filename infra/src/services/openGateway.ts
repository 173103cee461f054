import { ObserverKeys } from '@roomwire/shared/credentials/observerToken';
import { createSecretBox, type SealingKeys } from '@roomwire/shared/credentials/secretBox';
import { createGateway, type Gateway, type GatewayDeps } from '@roomwire/gateway/gateway';
import type { Config } from '../config/config.js';

/** What of the configuration is about what a gateway does with its clients. */
export type GatewaySettings = ReturnType<typeof gatewaySettings>;

export const gatewaySettings = (config: Config) => {
  const { publishRate, requestRate, retainedBytes, idleTimeoutMs, revalidationMs, wsOrigins } = config;
  const { trustedProxies, failedAuthDelayMs, deduplicationMs, sharedMemory } = config;
  return {
    ...{ publishRate, requestRate, retainedBytes, idleTimeoutMs, revalidationMs, wsOrigins },
    ...{ trustedProxies, failedAuthDelayMs, deduplicationMs, sharedMemory },
  };
};

export type GatewayPortsOpened = Omit<GatewayDeps, 'options' | 'secretBox' | 'observerKeys'>;

/** A gateway of this thread, or of this process. */
export const openGateway = (
  { wsOrigins, sharedMemory, ...settings }: GatewaySettings,
  sealingKeys: SealingKeys,
  ports: GatewayPortsOpened,
  options: GatewayDeps['options'] = {},
): Gateway => {
  return createGateway({
    ...ports,
    secretBox: createSecretBox(sealingKeys),
    observerKeys: new ObserverKeys(sealingKeys),
    options: {
      ...settings,
      ...sharedMemory,
      allowedOrigins: wsOrigins ?? '*',
      ...options,
    },
  });
};
