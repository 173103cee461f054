import {
  createSecretBox,
  deriveKeys,
  type KeyPurpose,
  type MasterKeys,
  type SealingKeys,
  type SecretBox,
} from '@roomwire/shared/credentials/secretBox';
import type { Config } from '../config/config.js';
import { givenMasterKeys, type Secrets } from './keptSecrets.js';

/** The key of one purpose alone, for a process that must not have the master key. */
const givenDerivedKeys = (config: Config): { readonly [P in KeyPurpose]: SealingKeys | undefined } => {
  const { gatewayKey, previousGatewayKeys, webhookKey, previousWebhookKeys } = config;
  return {
    signingKeys: gatewayKey && { current: gatewayKey, previous: previousGatewayKeys },
    webhookSecrets: webhookKey && { current: webhookKey, previous: previousWebhookKeys },
  };
};

export const secretBoxFor = (masterKeys: MasterKeys, purpose: KeyPurpose): SecretBox =>
  createSecretBox(deriveKeys(masterKeys, purpose));

/** The configured ones of the purpose, or else those that are derived from the master key, configured or kept. */
export const openSealingKeys = async (
  config: Config,
  purpose: KeyPurpose,
  secrets: () => Promise<Secrets>,
): Promise<SealingKeys> =>
  givenDerivedKeys(config)[purpose] ??
  // A service on engines needs nothing else, and has no folder to look for the session secret in.
  deriveKeys(givenMasterKeys(config) ?? (await secrets()).masterKeys, purpose);
