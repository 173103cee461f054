import type { EventStoreDbOptions } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import { randomUUID } from 'node:crypto';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { EngineRow, EventLogEngine } from './engine.js';
import { judgeVersion } from './finding.js';
import type { Remedies } from './refusals.js';

const name = 'EventStoreDB';
const variable = 'ROOMWIRE_EVENTSTORE_URL';
/** KurrentDB is what EventStoreDB is called since version 25. */
const schemes = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'];
const oldest = [22, 10] as const;
const answersWithinMs = 5_000;

const remedies: Remedies = {
  certificate: `Name the authority of its certificate by tlsCaFile in ${variable}, and tls=false where it has no TLS`,
  password: `Correct the user and the password in ${variable}`,
  rights: `Name in ${variable} a user that may read $all and write streams, as members of $admins may`,
  'no leader': 'Start its other nodes: more than half of them must run',
  'unknown host': `Correct the address in ${variable}`,
  away: `Start it, and check the address in ${variable} and the network`,
};

const open = async (options: EventStoreDbOptions): Promise<EventLog> => {
  const { openEventStoreDbLog } =
    await import('@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog');
  return openEventStoreDbLog(options);
};

const eventStoreDb = (url: string): EventLogEngine => ({
  ...{ name, onFiles: false, settings: { url }, remedies },
  open: ({ outage }) => open({ url, outage }),
  openBeside: () => open({ url }),
  async inspect() {
    await requireService(url);
    const { eventStoreDbVersion } =
      await import('@roomwire/shared/adapters/event-log/eventstoredb/connection');
    return [judgeVersion(name, await eventStoreDbVersion(url, answersWithinMs), oldest)];
  },
});

/** Longer than any stream. */
const noRevision = Number.MAX_SAFE_INTEGER - 1;

/**
 * Has the server do what the service does: its version is told to anybody, also by a node that has no leader. The append expects a revision
 * that no stream has, so that it leaves nothing.
 */
const requireService = async (url: string): Promise<void> => {
  const log = await open({ url });
  try {
    await log.head();
    await log.append('doctor', noRevision, [neverWritten()]).catch((error: unknown) => {
      if (!(error instanceof RevisionConflict)) throw error;
    });
  } finally {
    await log.close();
  }
};

const neverWritten = (): NewEvent => ({
  ...{ id: randomUUID(), type: 'NeverWritten', schemaVersion: 1, data: {} },
  metadata: {
    ...{ occurredAt: new Date().toISOString(), organizationId: '', projectId: null },
    ...{ principal: 'system', requestId: randomUUID() },
  },
});

export const eventStoreDbRow: EngineRow<EventLogEngine> = {
  variable,
  read(read) {
    const url = read.engineUrl(variable, schemes);
    return url === undefined ? undefined : eventStoreDb(url);
  },
};
