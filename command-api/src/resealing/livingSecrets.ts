import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { ProjectEvent } from '@roomwire/shared/domain/projects/project';
import { readEvent } from '@roomwire/shared/domain/readEvent';
import type { SealedSecret } from '@roomwire/shared/domain/signing-keys/signingKey';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';

/** A record of the control plane with a secret that is sealed under a master key. */
export interface SealedRecord {
  readonly projectId: string;
  readonly sealedSecret: SealedSecret;
}

/** How records of one kind come out of their events. */
export interface LivingKind<R extends SealedRecord, E extends DomainEvent> {
  readonly types: readonly E['type'][];
  /** Of the record that the event is about. */
  readonly idIn: (event: E) => string;
  /** Undefined once it is deleted. */
  readonly evolve: (record: R | undefined, event: E & { readonly occurredAt: string }) => R | undefined;
}

/** A record as the log has it, and whose it is. */
export interface Living<R> {
  readonly record: R;
  readonly organizationId: string;
}

export interface LivingSecrets<R> {
  /** Reads the log on to its end as it is now, and gives every record that exists there. */
  read(): Promise<readonly Living<R>[]>;
}

type ProjectDeleted = Extract<ProjectEvent, { type: 'ProjectDeleted' }>;

/** The records that have neither been deleted nor gone with their project; from the log, which is never behind. */
export const createLivingSecrets = <R extends SealedRecord, E extends DomainEvent>(
  log: EventLog,
  { types, idIn, evolve }: LivingKind<R, E>,
): LivingSecrets<R> => {
  const seenTypes: ReadonlySet<string> = new Set([...types, 'ProjectDeleted']);
  const living = new Map<string, Living<R>>();
  let position: LogPosition | undefined;

  const see = (recorded: RecordedEvent): void => {
    if (!seenTypes.has(recorded.type)) return;
    const event = readEvent(recorded);
    if (event.type === 'ProjectDeleted') return forgetProject(event);
    const own = event as unknown as E & { readonly occurredAt: string };
    const id = idIn(own);
    const record = evolve(living.get(id)?.record, own);
    if (record === undefined) living.delete(id);
    else living.set(id, { record, organizationId: recorded.metadata.organizationId });
  };

  const forgetProject = ({ data }: ProjectDeleted): void => {
    for (const [id, { record }] of living) if (record.projectId === data.projectId) living.delete(id);
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
