import { createAuditFollower } from '@roomwire/projections/auditFollower';
import { changesOf } from '@roomwire/projections/projectors';
import { openEmbeddedAuditIndex } from '@roomwire/shared/adapters/audit-index/embeddedAuditIndex';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { createViewFold } from '@roomwire/shared/adapters/view-store/viewFold';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { CreateViewFold } from '@roomwire/shared/ports/viewStore';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { type PastEvent, writeHistory } from '../support/eventLogAccess.js';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';

export interface AuditWorld {
  readonly log: EventLog;
  readonly auditIndex: AuditIndex;
  readonly createFold: CreateViewFold;
  close(): Promise<void>;
}

/** A log with these events, and an audit index that has followed it to its end. */
export const openAuditWorld = async (events: readonly PastEvent[]): Promise<AuditWorld> => {
  const files = await temporaryFolder();
  const folder = await openDataFolder(files.path);
  const log = await openEmbeddedEventLog(folder);
  const auditIndex = await openEmbeddedAuditIndex(folder);
  await writeHistory(log, events);
  const follower = createAuditFollower({ log, index: auditIndex, logger: createRecordingLogger().logger });
  await follower.start();
  if (!(await auditIndex.reached((await log.head()) ?? '', 30_000)))
    throw new Error('The follower does not follow');
  return {
    ...{ log, auditIndex, createFold: () => createViewFold(changesOf) },
    async close() {
      for (const each of [follower, auditIndex, log, folder]) await each.close();
      await files.remove();
    },
  };
};
