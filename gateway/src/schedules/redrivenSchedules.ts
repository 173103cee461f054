import type { Clock } from '@roomwire/shared/ports/clock';
import type { MessageBus, QueueWorker } from '@roomwire/shared/ports/messageBus';
import type { NewSchedule, ScheduledPublish, ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { scheduleRedrives, type RedrivenWork } from '@roomwire/shared/wire/bus/lostWork';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import { protocolErrors } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { AuthorDeps } from '../publishing/authors.js';
import type { MessageIds } from '../publishing/messageIds.js';
import type { PublishClaims } from '../publishing/publishClaims.js';
import { DueJudge } from './dueRights.js';
import { scheduleIn } from './lostSchedules.js';
import { scheduledIdOf } from './scheduledId.js';

export interface RedriveDeps extends AuthorDeps {
  readonly bus: Pick<MessageBus, 'put' | 'work'>;
  readonly store: Pick<ScheduleStore, 'add'>;
  readonly clock: Clock;
  readonly claims: Pick<PublishClaims, 'claimUnder' | 'sent' | 'givenUp'>;
  readonly ids: Pick<MessageIds, 'next'>;
  readonly onStored: (publish: ScheduledPublish) => void;
}

const together = 4;

/** [WS-LATER-3] Publishes that were refused when they were due, and are to be made now: what is still refused stays a dead letter. */
export const startScheduleRedrives = (deps: RedriveDeps): Promise<QueueWorker> => {
  const { bus, store, clock, claims, ids, onStored } = deps;

  /** [WS-LATER-2] Once, however often the redrive comes: when it does again, what was stored may be delivered and gone. */
  const storeOnce = async ({ publish, data }: NewSchedule): Promise<void> => {
    const { scheduledId, place } = publish;
    const decided = await claims.claimUnder(scheduledId, data, place);
    if (decided.kind === 'unavailable') throw new EngineUnavailable('publish ids');
    if (decided.kind !== 'won') return;
    const { claim } = decided;
    try {
      await store.add([{ publish: { ...publish, claim }, data }]);
    } catch (error) {
      await claims.givenUp(claim);
      throw error;
    }
    await claims.sent(claim);
    onStored(publish);
  };

  return bus.work(scheduleRedrives, { concurrency: together }, async ({ redriveId, work }: RedrivenWork) => {
    const { publish, data } = scheduleIn(work);
    const found = await new DueJudge(deps).judge(publish);
    if ('refused' in found) {
      const { error } = protocolErrors[found.refused];
      return bus.put(webhookReports, { outcome: 'notRedriven', work, redriveId, error, status: 'failed' });
    }
    // Of the redrive: if that comes again, it is the same schedule.
    const scheduledId = scheduledIdOf(redriveId);
    const again = {
      ...{ ...publish, id: publish.id ?? publish.scheduledId },
      ...{ scheduledId, deliverAt: clock.now(), place: ids.next() },
    };
    await storeOnce({ publish: again, data });
    await bus.put(webhookReports, { outcome: 'redriven', work, redriveId });
  });
};
