import { SecretNotOpened, type SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { SealedSecret } from '@roomwire/shared/domain/signingKey';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import type { Target } from '../handling/writeModel.js';
import { executeAsSystem } from '../handling/streamWriter.js';
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
  /** Secrets that this run has encrypted with the current master key. */
  readonly reencrypted: number;
  /** All secrets that exist. */
  readonly total: number;
  /** By id, those that could not be decrypted and were left as they are. */
  readonly unopened: ReadonlyMap<string, SecretNotOpened>;
}

/** How records of one kind are re-encrypted. */
export interface ReencryptionKind<R extends SealedRecord, State, Command, Event extends DomainEvent> {
  /** For log lines. */
  readonly name: string;
  readonly current: CurrentSecrets<R>;
  readonly idOf: (record: R) => string;
  readonly target: (record: R) => Target<State, Command, Event>;
  readonly command: (id: string, sealedSecret: SealedSecret) => Command;
  readonly sealIn: (state: State, id: string) => SealedSecret | undefined;
}

/**
 * Encrypts every secret of a kind with the current master key, one append each. It may end at any point and be
 * run again, and it may run beside services, which decrypt with both keys. It ends when no secret is left in the log
 * under an older key, including those that were created while it ran.
 * Rejects with `RevisionConflict` or `EngineUnavailable`; secrets that were done until then stay done.
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
      else if (outcome !== 'skipped') unopened.set(id, outcome);
      logger.debug(`A ${kind.name} was checked`, { id, reencrypted });
    }
  }
};

const reencryptOne = async <R extends SealedRecord, State, Command, Event extends DomainEvent>(
  { record, organizationId }: CurrentSecret<R>,
  deps: ReencryptionDeps,
  kind: ReencryptionKind<R, State, Command, Event>,
): Promise<'reencrypted' | 'skipped' | SecretNotOpened> => {
  const { secretBox } = deps;
  const id = kind.idOf(record);
  const secret = openedOrNot(() => secretBox.open(record.sealedSecret, id));
  if (secret instanceof SecretNotOpened) return secret;
  const sealedSecret = secretBox.seal(secret, id);
  const owner = { organizationId, projectId: record.projectId };
  const isDone = (state: State): boolean => kind.sealIn(state, id)?.iv === sealedSecret.iv;
  const result = await executeAsSystem(
    deps,
    kind.target(record),
    kind.command(id, sealedSecret),
    owner,
    isDone,
  );
  return result ? 'reencrypted' : 'skipped';
};

const openedOrNot = (open: () => string): string | SecretNotOpened => {
  try {
    return open();
  } catch (error) {
    if (error instanceof SecretNotOpened) return error;
    throw error;
  }
};

/** Encrypts every signing key with the current master key, see `reencryptSecrets`. */
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

/** Encrypts every webhook secret with the current master key, see `reencryptSecrets`. */
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
