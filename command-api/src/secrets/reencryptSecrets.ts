import { SecretNotOpened, type SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { SealedSecret } from '@roomwire/shared/domain/signing-keys/signingKey';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import type { Target } from '../handling/writeModel.js';
import { createStreamWriter } from '../handling/streamWriter.js';
import {
  type CurrentSecret,
  type CurrentSecrets,
  type SealedRecord,
  createCurrentSigningKeys,
  createCurrentWebhookSecrets,
} from './currentSecrets.js';
import { signingKeyTarget } from '../signing-keys/decider.js';
import { webhookSecretsTarget } from '../webhook-secrets/decider.js';

export interface ReencryptionDeps {
  readonly log: EventLog;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface ReencryptionReport {
  /** Secrets that this run has brought under the current master key. */
  readonly reencrypted: number;
  /** Secrets that there are. */
  readonly total: number;
  /** By id, those that stay as they are because they could not be opened. */
  readonly unopened: ReadonlyMap<string, SecretNotOpened>;
}

/** How records of one kind get another seal. */
export interface ReencryptionKind<R extends SealedRecord, State, Command, Event extends DomainEvent> {
  /** For the log. */
  readonly name: string;
  readonly current: CurrentSecrets<R>;
  readonly idOf: (record: R) => string;
  readonly target: (record: R) => Target<State, Command, Event>;
  readonly command: (id: string, sealedSecret: SealedSecret) => Command;
  readonly sealIn: (state: State, id: string) => SealedSecret | undefined;
}

/**
 * Brings every secret of a kind under the current master key, one append each. It may end at any point and be
 * run again, and it may run beside services, which open with both keys. It has ended when nothing is left to do in the
 * log as it then is: also what was made meanwhile under an older key is done.
 * Rejects with `RevisionConflict` or `EngineUnavailable`; what was done until then stays done.
 */
export const reencryptSecrets = async <R extends SealedRecord, State, Command, Event extends DomainEvent>(
  deps: ReencryptionDeps,
  kind: ReencryptionKind<R, State, Command, Event>,
): Promise<ReencryptionReport> => {
  const { secretBox, logger } = deps;
  const unopened = new Map<string, SecretNotOpened>();
  let reencrypted = 0;
  for (;;) {
    const all = await kind.current.read();
    const due = all.filter(
      ({ record }) =>
        record.sealedSecret.masterKeyId !== secretBox.currentKeyId && !unopened.has(kind.idOf(record)),
    );
    if (due.length === 0) return { reencrypted, total: all.length, unopened };
    for (const each of due) {
      const id = kind.idOf(each.record);
      const outcome = await reencryptOne(each, deps, kind);
      if (outcome === 'reencrypted') reencrypted += 1;
      else if (outcome !== 'passed over') unopened.set(id, outcome);
      logger.debug(`A ${kind.name} was looked at`, { id, reencrypted });
    }
  }
};

const reencryptOne = async <R extends SealedRecord, State, Command, Event extends DomainEvent>(
  { record, organizationId }: CurrentSecret<R>,
  { log, secretBox, clock, random }: ReencryptionDeps,
  kind: ReencryptionKind<R, State, Command, Event>,
): Promise<'reencrypted' | 'passed over' | SecretNotOpened> => {
  const id = kind.idOf(record);
  const secret = openedOrNot(() => secretBox.open(record.sealedSecret, id));
  if (secret instanceof SecretNotOpened) return secret;
  const sealedSecret = secretBox.seal(secret, id);
  const { stream, decider } = kind.target(record);
  // Not through the command handler: nobody waits here for the read models.
  const { result } = await createStreamWriter({ stream, log, random }).submit(decider, {
    decide: (state) => decider.decide(kind.command(id, sealedSecret), state),
    context: {
      occurredAt: new Date(clock.now()).toISOString(),
      organizationId,
      projectId: record.projectId,
      principal: 'system',
      requestId: random.uuid(),
    },
    select: (state) => kind.sealIn(state, id)?.iv === sealedSecret.iv,
  });
  return result ? 'reencrypted' : 'passed over';
};

const openedOrNot = (open: () => string): string | SecretNotOpened => {
  try {
    return open();
  } catch (error) {
    if (error instanceof SecretNotOpened) return error;
    throw error;
  }
};

/** Brings every signing key of the log under the current master key, see `reencryptSecrets`. */
export const reencryptSigningKeys = (deps: ReencryptionDeps): Promise<ReencryptionReport> =>
  reencryptSecrets(deps, {
    name: 'signing key',
    current: createCurrentSigningKeys(deps.log),
    idOf: ({ signingKeyId }) => signingKeyId,
    target: ({ signingKeyId }) => signingKeyTarget(signingKeyId),
    command: (signingKeyId, sealedSecret) => ({
      type: 'ReencryptSigningKey' as const,
      signingKeyId,
      sealedSecret,
    }),
    sealIn: (key) => key?.sealedSecret,
  });

/** Brings every webhook secret of the log under the current master key, see `reencryptSecrets`. */
export const reencryptWebhookSecrets = (deps: ReencryptionDeps): Promise<ReencryptionReport> =>
  reencryptSecrets(deps, {
    name: 'webhook secret',
    current: createCurrentWebhookSecrets(deps.log),
    idOf: ({ webhookSecretId }) => webhookSecretId,
    target: ({ projectId }) => webhookSecretsTarget(projectId),
    command: (webhookSecretId, sealedSecret) => ({
      type: 'ReencryptWebhookSecret' as const,
      webhookSecretId,
      sealedSecret,
    }),
    sealIn: (secrets, webhookSecretId) => secrets.get(webhookSecretId)?.sealedSecret,
  });
