import { resealSecrets, type ResealDeps, type ResealReport } from '../resealing/resealSecrets.js';
import { webhookSecretsTarget } from './decider.js';
import { createLivingWebhookSecrets } from './livingWebhookSecrets.js';

/** Brings every webhook secret of the log under the current master key, see `resealSecrets`. */
export const resealWebhookSecrets = (deps: ResealDeps): Promise<ResealReport> =>
  resealSecrets(deps, {
    name: 'webhook secret',
    living: createLivingWebhookSecrets(deps.log),
    idOf: ({ webhookSecretId }) => webhookSecretId,
    target: ({ projectId }) => webhookSecretsTarget(projectId),
    command: (webhookSecretId, sealedSecret) => ({
      type: 'ResealWebhookSecret' as const,
      webhookSecretId,
      sealedSecret,
    }),
    sealIn: (secrets, webhookSecretId) => secrets.get(webhookSecretId)?.sealedSecret,
  });
