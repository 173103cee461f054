import {
  auditHeadsRecorded,
  auditHeadsStream,
  isOfTheControlPlane,
  noOrganization,
  type AuditHead,
  type AuditHeadsRecord,
} from '@roomwire/shared/domain/auditHeads';
import type { NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Clock } from '@roomwire/shared/ports/clock';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import { Outage, type OutageReport } from '@roomwire/shared/runtime/outage';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { keepSubscribed } from './keptSubscription.js';

export interface AuditHeadsDeps {
  /** Proves what is appended to it. */
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly everyMs?: number;
  /** Of heads in a record, beyond which one is written before its time; a batch of the log may add to it. */
  readonly headsAtOnce?: number;
}

/** The last record may take so long while the service shuts down. */
const lastRecordMs = 2_000;

/**
 * Records the heads of all audit chains that have changed, every minute. It follows the log from where the last record ends. Any number of
 * instances may run: each record expects the one before it, and what another instance has recorded comes back by the log.
 */
export const createAuditHeads = (deps: AuditHeadsDeps): Service => {
  const { log, logger, everyMs = 60_000, headsAtOnce = 1_000 } = deps;
  let recorder: HeadsRecorder | undefined;
  let timer: NodeJS.Timeout | undefined;

  const outage = outageOf(logger);

  const checkpoint = async (): Promise<LogPosition | undefined> => {
    const last = await log.readLast(auditHeadsStream);
    recorder = new HeadsRecorder(deps, last?.revision);
    return endOf(last);
  };

  const onEvents = async (events: readonly RecordedEvent[]): Promise<void> => {
    recorder?.look(events);
    if (recorder && recorder.size >= headsAtOnce) await recorder.record();
  };

  const endOf = async (last: RecordedEvent | undefined): Promise<LogPosition | undefined> => {
    if (last === undefined) return undefined;
    const { stream, revision } = (last.data as AuditHeadsRecord).upTo;
    for await (const [event] of log.readStream(stream, revision))
      if (event?.revision === revision) return event.position;
    logger.error('The last record of heads names an event that is not in the log: verify the audit chains', {
      ...{ stream, revision },
    });
    return undefined;
  };

  const follower = keepSubscribed({ log, checkpoint, onEvents, outage, longestMs: 5_000 });

  const recordNow = async (): Promise<void> => {
    try {
      await recorder?.record();
      outage.over();
    } catch (error) {
      outage.failed(error);
    }
  };

  return {
    async start() {
      await follower.start();
      timer = setInterval(() => void recordNow(), everyMs).unref();
    },
    close: once(async () => {
      clearInterval(timer);
      await follower.close();
      await withTimeout(lastRecordMs, recordNow(), () => undefined);
    }),
  };
};

const outageOf = (logger: Logger): OutageReport => {
  const outage = new Outage({
    logger,
    lost: 'The heads of the audit chains cannot be recorded; retrying',
    back: 'The heads of the audit chains are recorded again',
  });
  return {
    failed(error) {
      // Another instance was faster; what it has recorded is read again.
      if (!(error instanceof RevisionConflict)) outage.failed(error);
    },
    over: () => outage.over(),
  };
};

/** The heads that are in no record yet. */
class HeadsRecorder {
  private readonly deps: Pick<AuditHeadsDeps, 'log' | 'clock' | 'random' | 'logger'>;
  private readonly unrecorded = new Map<string, AuditHead>();
  private upTo: AuditHeadsRecord['upTo'] | undefined;
  /** Revision of the last record. */
  private last: number | undefined;
  private recording: Promise<void> | undefined;

  constructor(deps: Pick<AuditHeadsDeps, 'log' | 'clock' | 'random' | 'logger'>, last: number | undefined) {
    this.deps = deps;
    this.last = last;
  }

  get size(): number {
    return this.unrecorded.size;
  }

  look(events: readonly RecordedEvent[]): void {
    for (const event of events)
      if (isOfTheControlPlane(event)) this.lookAt(event);
      else this.leaveOut(event);
  }

  private lookAt({ stream, revision, metadata: { proof } }: RecordedEvent): void {
    this.upTo = { stream, revision };
    if (proof) this.unrecorded.set(stream, { stream, revision, mac: proof.mac });
  }

  /** What this or another instance has recorded. */
  private leaveOut({ revision, data }: RecordedEvent): void {
    this.last = Math.max(revision, this.last ?? 0);
    for (const { stream, revision: recorded } of (data as AuditHeadsRecord).heads) {
      const head = this.unrecorded.get(stream);
      if (head && head.revision <= recorded) this.unrecorded.delete(stream);
    }
  }

  /** Rejects with `RevisionConflict` where another instance was faster. */
  record(): Promise<void> {
    return (this.recording ??= this.write().finally(() => (this.recording = undefined)));
  }

  private async write(): Promise<void> {
    const { log, clock, random, logger } = this.deps;
    const heads = [...this.unrecorded.values()];
    if (heads.length === 0 || this.upTo === undefined) return;
    const event: NewEvent = {
      id: random.uuid(),
      ...auditHeadsRecorded,
      data: { heads, upTo: this.upTo } satisfies AuditHeadsRecord,
      metadata: {
        occurredAt: new Date(clock.now()).toISOString(),
        ...{ organizationId: noOrganization, projectId: null, principal: 'system' },
        requestId: random.uuid(),
      },
    };
    const { revision } = await log.append(auditHeadsStream, this.last ?? 'none', [event]);
    this.last = revision;
    for (const head of heads)
      if (this.unrecorded.get(head.stream) === head) this.unrecorded.delete(head.stream);
    const written = await log.readLast(auditHeadsStream);
    if (written?.revision !== revision) return;
    // Wherever the log lines are kept, this one is a witness: nothing before it can be cut off unnoticed.
    const witness = `${revision}:${written.metadata.proof?.mac}`;
    logger.info('Heads of the audit chains recorded', { heads: heads.length, witness });
  }
}
