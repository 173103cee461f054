import { SecretNotOpened, type SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import { createStreamWriter } from '../handling/streamWriter.js';
import { signingKeyTarget } from './decider.js';
import { createLivingSigningKeys, type LivingSigningKey } from './livingSigningKeys.js';

export interface ResealDeps {
  readonly log: EventLog;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface ResealReport {
  /** Keys that this run has brought under the current master key. */
  readonly resealed: number;
  /** Keys that there are. */
  readonly total: number;
  /** By id, those that stay as they are because they could not be opened. */
  readonly unopened: ReadonlyMap<string, SecretNotOpened>;
}

/**
 * Brings every signing key of the log under the current master key, one append each. It may end at any point and be
 * run again, and it may run beside services, which open with both keys. It has ended when nothing is left to do in the
 * log as it then is: also what was made meanwhile under an older key is done.
 * Rejects with `RevisionConflict` or `EngineUnavailable`; what was done until then stays done.
 */
export const resealSigningKeys = async (deps: ResealDeps): Promise<ResealReport> => {
  const { secretBox, logger } = deps;
  const living = createLivingSigningKeys(deps.log);
  const unopened = new Map<string, SecretNotOpened>();
  let resealed = 0;
  for (;;) {
    const keys = await living.read();
    const due = keys.filter(
      ({ key }) => key.sealedSecret.masterKeyId !== secretBox.currentKeyId && !unopened.has(key.signingKeyId),
    );
    if (due.length === 0) return { resealed, total: keys.length, unopened };
    for (const each of due) {
      const outcome = await resealOne(each, deps);
      if (outcome === 'resealed') resealed += 1;
      else if (outcome !== 'passed over') unopened.set(each.key.signingKeyId, outcome);
      logger.debug('A signing key was looked at', { id: each.key.signingKeyId, resealed });
    }
  }
};

const resealOne = async (
  { key, organizationId }: LivingSigningKey,
  { log, secretBox, clock, random }: ResealDeps,
): Promise<'resealed' | 'passed over' | SecretNotOpened> => {
  const { signingKeyId, projectId } = key;
  const secret = openedOrNot(() => secretBox.open(key.sealedSecret, signingKeyId));
  if (secret instanceof SecretNotOpened) return secret;
  const sealedSecret = secretBox.seal(secret, signingKeyId);
  const { stream, decider } = signingKeyTarget(signingKeyId);
  // Not through the command handler: nobody waits here for the read models.
  const { result } = await createStreamWriter({ stream, log, random }).submit(decider, {
    decide: (state) => decider.decide({ type: 'ResealSigningKey', signingKeyId, sealedSecret }, state),
    context: {
      occurredAt: new Date(clock.now()).toISOString(),
      organizationId,
      projectId,
      principal: 'system',
      requestId: random.uuid(),
    },
    select: (state) => state?.sealedSecret.iv === sealedSecret.iv,
  });
  return result ? 'resealed' : 'passed over';
};

const openedOrNot = (open: () => string): string | SecretNotOpened => {
  try {
    return open();
  } catch (error) {
    if (error instanceof SecretNotOpened) return error;
    throw error;
  }
};
