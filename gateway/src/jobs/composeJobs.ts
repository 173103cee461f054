import type { Clock } from '@roomwire/shared/ports/clock';
import type { JobGroupRecord, JobStore } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import { Jobs, type JobsDeps } from './jobs.js';
import type { RoomLog } from './owner/intake.js';
import { ReportedBurial } from './owner/reportedBurial.js';
import { createJobCounts } from './queue/jobCounts.js';

export interface ComposeJobsDeps extends Pick<
  JobsDeps,
  'processId' | 'bounds' | 'past' | 'repeatedMs' | 'hasPlainMembers' | 'others' | 'otherGateways'
> {
  readonly bus: MessageBus;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: LimitReports;
  readonly views: Pick<ViewReader, 'get'>;
  readonly rooms: RoomLog;
  readonly store: JobStore;
  readonly leases: ShardLeases;
}

export const createJobs = (deps: ComposeJobsDeps): Jobs => {
  const { bus, views, logger, random } = deps;
  // A command that changes nothing: what is published from now on stands behind it in the log.
  const endOf = ({ room, topic, name }: JobGroupRecord): Promise<number> =>
    bus.send(
      roomRecords,
      { kind: 'check', room, topic, group: name, gatewayId: random.uuid(), ref: 0 },
      'stored',
    );
  const burial = new ReportedBurial({ bus, views, logger });
  return new Jobs({ ...deps, counts: createJobCounts(), burial, endOf });
};
