import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { ProjectEvent } from '@roomwire/shared/domain/projects/project';
import { readEvent } from '@roomwire/shared/domain/readEvent';
import {
  evolveSigningKey,
  type SigningKey,
  type SigningKeyEvent,
} from '@roomwire/shared/domain/signing-keys/signingKey';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';

/** A signing key as the log has it, and whose it is. */
export interface LivingSigningKey {
  readonly key: SigningKey;
  readonly organizationId: string;
}

export interface LivingSigningKeys {
  /** Reads the log on to its end as it is now, and gives every key that exists there. */
  read(): Promise<readonly LivingSigningKey[]>;
}

type Seen = SigningKeyEvent | Extract<ProjectEvent, { type: 'ProjectDeleted' }>;

const seenTypes: ReadonlySet<string> = new Set<Seen['type']>([
  'SigningKeyCreated',
  'SigningKeyUpdated',
  'SigningKeyResealed',
  'SigningKeyDeleted',
  'ProjectDeleted',
]);

/** The signing keys that have neither been deleted nor gone with their project; from the log, which is never behind. */
export const createLivingSigningKeys = (log: EventLog): LivingSigningKeys => {
  const living = new Map<string, LivingSigningKey>();
  let position: LogPosition | undefined;

  const see = (recorded: RecordedEvent): void => {
    if (!seenTypes.has(recorded.type)) return;
    const event = readEvent(recorded) as Seen & { readonly occurredAt: string };
    if (event.type === 'ProjectDeleted') return forgetProject(event.data.projectId);
    const { signingKeyId } = event.data;
    const key = evolveSigningKey(living.get(signingKeyId)?.key, event);
    if (key === undefined) living.delete(signingKeyId);
    else living.set(signingKeyId, { key, organizationId: recorded.metadata.organizationId });
  };

  const forgetProject = (projectId: string): void => {
    for (const [signingKeyId, { key }] of living)
      if (key.projectId === projectId) living.delete(signingKeyId);
  };

  return {
    async read() {
      for await (const events of log.readAll(position)) {
        events.forEach(see);
        position = events.at(-1)?.position ?? position;
      }
      return [...living.values()];
    },
  };
};
