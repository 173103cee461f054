import { untilAborted, withTimeout } from '@roomwire/shared/runtime/waiting';
import type { KafkaRecords } from './kafkaRecords.js';

export interface JoinLimits {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  readonly withinMs: number;
}

/** Rejects past the time, with the reason of the last failure, and when the signal aborts; the records are still to be closed. */
export const joinGroup = (
  records: Pick<KafkaRecords, 'start' | 'lastFailure'>,
  { signal, withinMs }: JoinLimits,
): Promise<void> =>
  withTimeout(withinMs, untilAborted(records.start(), signal), () => {
    throw new Error(
      `The group cannot be joined: ${records.lastFailure ?? 'its coordinator does not answer'}`,
    );
  });
