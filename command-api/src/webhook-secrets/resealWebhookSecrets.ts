import { SecretNotOpened } from '@roomwire/shared/credentials/secretBox';
import { createStreamWriter } from '../handling/streamWriter.js';
import type { ResealDeps, ResealReport } from '../signing-keys/resealSigningKeys.js';
import { webhookSecretsTarget } from './decider.js';
import { createLivingWebhookSecrets, type LivingWebhookSecret } from './livingWebhookSecrets.js';

/** Brings every webhook secret of the log under the current master key, as `resealSigningKeys` does its keys. */
export const resealWebhookSecrets = async (deps: ResealDeps): Promise<ResealReport> => {
  const { secretBox } = deps;
  const living = createLivingWebhookSecrets(deps.log);
  const unopened = new Map<string, SecretNotOpened>();
  let resealed = 0;
  for (;;) {
    const secrets = await living.read();
    const due = secrets.filter(
      ({ secret }) =>
        secret.sealedSecret.masterKeyId !== secretBox.currentKeyId && !unopened.has(secret.webhookSecretId),
    );
    if (due.length === 0) return { resealed, total: secrets.length, unopened };
    for (const each of due) {
      const outcome = await resealOne(each, deps);
      if (outcome instanceof SecretNotOpened) unopened.set(each.secret.webhookSecretId, outcome);
      else if (outcome) resealed += 1;
    }
  }
};

const resealOne = async (
  { secret, organizationId }: LivingWebhookSecret,
  { log, secretBox, clock, random }: ResealDeps,
): Promise<boolean | SecretNotOpened> => {
  const { webhookSecretId, projectId } = secret;
  let plain: string;
  try {
    plain = secretBox.open(secret.sealedSecret, webhookSecretId);
  } catch (error) {
    if (error instanceof SecretNotOpened) return error;
    throw error;
  }
  const sealedSecret = secretBox.seal(plain, webhookSecretId);
  const { stream, decider } = webhookSecretsTarget(projectId);
  const { result } = await createStreamWriter({ stream, log, random }).submit(decider, {
    decide: (state) => decider.decide({ type: 'ResealWebhookSecret', webhookSecretId, sealedSecret }, state),
    context: {
      occurredAt: new Date(clock.now()).toISOString(),
      organizationId,
      projectId,
      principal: 'system',
      requestId: random.uuid(),
    },
    select: (state) => state.get(webhookSecretId)?.sealedSecret.iv === sealedSecret.iv,
  });
  return result;
};
