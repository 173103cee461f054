import { readEvent, type DomainEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { ProjectEvent } from '@roomwire/shared/domain/project';
import {
  type SealedSecret,
  evolveSigningKey,
  type SigningKey,
  type SigningKeyEvent,
} from '@roomwire/shared/domain/signingKey';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import {
  evolveWebhookSecret,
  type WebhookSecret,
  type WebhookSecretEvent,
} from '@roomwire/shared/domain/webhookSecret';

/** A record with a secret that is encrypted with a master key. */
export interface SealedRecord {
  readonly projectId: string;
  readonly sealedSecret: SealedSecret;
}

/** How records of one kind are folded from their events. */
export interface SecretKind<R extends SealedRecord, E extends DomainEvent> {
  readonly types: readonly E['type'][];
  /** The id of the record that the event is about. */
  readonly idIn: (event: E) => string;
  /** Undefined once it is deleted. */
  readonly evolve: (record: R | undefined, event: E & { readonly occurredAt: string }) => R | undefined;
}

/** A record as it is in the log, and its organization. */
export interface CurrentSecret<R> {
  readonly record: R;
  readonly organizationId: string;
}

export interface CurrentSecrets<R> {
  /** Reads the log from where the last call ended to its current end. Resolves with every record that exists then. */
  read(): Promise<readonly CurrentSecret<R>[]>;
}

type ProjectDeleted = Extract<ProjectEvent, { type: 'ProjectDeleted' }>;

/** The records that were neither deleted nor removed with their project; from the log, which is never behind. */
const createCurrentSecrets = <R extends SealedRecord, E extends DomainEvent>(
  log: EventLog,
  { types, idIn, evolve }: SecretKind<R, E>,
): CurrentSecrets<R> => {
  const seenTypes: ReadonlySet<string> = new Set([...types, 'ProjectDeleted']);
  const current = new Map<string, CurrentSecret<R>>();
  let position: LogPosition | undefined;

  const see = (recorded: RecordedEvent): void => {
    if (!seenTypes.has(recorded.type)) return;
    const event = readEvent(recorded);
    if (event.type === 'ProjectDeleted') return forgetProject(event);
    const own = event as unknown as E & { readonly occurredAt: string };
    const id = idIn(own);
    const record = evolve(current.get(id)?.record, own);
    if (record === undefined) current.delete(id);
    else current.set(id, { record, organizationId: recorded.metadata.organizationId });
  };

  const forgetProject = ({ data }: ProjectDeleted): void => {
    for (const [id, { record }] of current) if (record.projectId === data.projectId) current.delete(id);
  };

  return {
    async read() {
      for await (const events of log.readAll(position)) {
        events.forEach(see);
        position = events.at(-1)?.position ?? position;
      }
      return [...current.values()];
    },
  };
};

export const createCurrentSigningKeys = (log: EventLog): CurrentSecrets<SigningKey> =>
  createCurrentSecrets<SigningKey, SigningKeyEvent>(log, {
    types: ['SigningKeyCreated', 'SigningKeyUpdated', 'SigningKeyResealed', 'SigningKeyDeleted'],
    idIn: ({ data }) => data.signingKeyId,
    evolve: evolveSigningKey,
  });

export const createCurrentWebhookSecrets = (log: EventLog): CurrentSecrets<WebhookSecret> =>
  createCurrentSecrets<WebhookSecret, WebhookSecretEvent>(log, {
    types: ['WebhookSecretCreated', 'WebhookSecretResealed', 'WebhookSecretDeleted'],
    idIn: ({ data }) => data.webhookSecretId,
    evolve: evolveWebhookSecret,
  });
