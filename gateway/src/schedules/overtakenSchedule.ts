import type { Logger } from '@roomwire/shared/ports/logger';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { DecidedClaim, PublishClaims } from '../publishing/publishClaims.js';
import { scheduledIdOf } from './scheduledId.js';

/** Of a publish that is to be made at once. */
export type WithdrawOvertaken = (claim: DecidedClaim, projectId: string) => Promise<DecidedClaim>;

interface WithdrawDeps {
  /** Undefined where nothing can be scheduled. */
  readonly store: Pick<ScheduleStore, 'cancel'> | undefined;
  readonly claims: Pick<PublishClaims, 'givenUp'>;
  readonly logger: Logger;
}

/** [WS-LATER-5] What had its id before it, and was to be made later, may be stored although nobody was told so: it would come as well. */
export const createWithdrawOvertaken = ({ store, claims, logger }: WithdrawDeps): WithdrawOvertaken => {
  return async (decided, projectId) => {
    if (store === undefined || decided.kind !== 'won' || !decided.isRepeated) return decided;
    try {
      await store.cancel(projectId, scheduledIdOf(decided.claim.messageId));
      return decided;
    } catch (error) {
      logger.warn('A publish for later could not be withdrawn for one with its id', { error });
      await claims.givenUp(decided.claim);
      return { kind: 'unavailable' };
    }
  };
};
