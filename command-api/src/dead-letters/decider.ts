import {
  deadLetterStream,
  evolveDeadLetter,
  type DeadLetter,
  type DeadLetterEvent,
  type DeadLetterFields,
  type Delivery,
  type RedriveFailure,
} from '@roomwire/shared/domain/deadLetter';
import { targetOf, type Decider } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

interface ExistingDeadLetter {
  readonly dlqId: string;
  readonly organizationId: string;
}

export type DeadLetterCommand =
  /** Recorded once: a report may be delivered again when it was not acknowledged. */
  | { readonly type: 'RecordDeadLetter'; readonly entry: DeadLetterFields }
  | ({
      readonly type: 'RedriveDeadLetter';
      readonly redriveId: string;
      readonly redrivenBy: string;
    } & ExistingDeadLetter)
  /** Recorded once, like the first failure; an entry that was marked dead meanwhile stays dead. */
  | { readonly type: 'ReportRedriveFailed'; readonly failure: RedriveFailure }
  | { readonly type: 'ReportDelivered'; readonly delivery: Delivery }
  | ({ readonly type: 'MarkDeadLetterDead' } & ExistingDeadLetter)
  | ({ readonly type: 'DeleteDeadLetter' } & ExistingDeadLetter);

export interface DeadLetterState {
  readonly entry: DeadLetter | undefined;
  /** True of a deleted entry too: a late report does not restore it. */
  readonly wasRecorded: boolean;
  /** The last redrives whose failure was reported, the newest last. */
  readonly failures: readonly RedriveFailure[];
  /** Of the redrive that succeeded. */
  readonly delivery: Delivery | undefined;
}

/** Remembered of an entry: more are not tried at once. */
const mostFailures = 20;

/** What became of a redrive, for whoever waits for it. */
export interface RedriveOutcome {
  readonly delivered: boolean;
  readonly responseStatus: number | null;
  readonly error: string | null;
}

/** Undefined while it is not known. Of an entry that is gone by another redrive, that one's: the call has arrived. */
export const redriveOutcome = (
  { entry, failures, delivery }: DeadLetterState,
  redriveId: string,
): RedriveOutcome | undefined => {
  const failure = failures.find((each) => each.redriveId === redriveId);
  if (failure !== undefined)
    return { delivered: false, responseStatus: failure.responseStatus, error: failure.error };
  if (delivery !== undefined)
    return { delivered: true, responseStatus: delivery.responseStatus, error: null };
  return entry === undefined ? { delivered: false, responseStatus: null, error: null } : undefined;
};

export const deadLetterDecider: Decider<DeadLetterState, DeadLetterCommand, DeadLetterEvent> = {
  initial: () => ({ entry: undefined, wasRecorded: false, failures: [], delivery: undefined }),
  evolve: ({ entry, failures, delivery }, event) => ({
    entry: evolveDeadLetter(entry, event),
    wasRecorded: true,
    failures:
      event.type === 'DeadLetterRedriveFailed' ? [...failures, event.data].slice(-mostFailures) : failures,
    delivery: event.type === 'DeadLetterDelivered' ? event.data : delivery,
  }),
  decide(command, state) {
    switch (command.type) {
      case 'RecordDeadLetter':
        return state.wasRecorded ? [] : [{ type: 'DeadLetterRecorded', data: command.entry }];
      case 'RedriveDeadLetter': {
        const { dlqId, redriveId, redrivenBy } = command;
        const { status, redriveCount } = existing(state, command);
        if (status === 'dead') throw new Rejection('dead_letter_dead', { dlqId });
        const data = { dlqId, redriveId, redrivenBy, redriveCount: redriveCount + 1 };
        return [{ type: 'DeadLetterRedriven', data }];
      }
      case 'ReportRedriveFailed': {
        const isKnown = state.failures.some(({ redriveId }) => redriveId === command.failure.redriveId);
        const isOpen = state.entry !== undefined && state.entry.status !== 'dead';
        return isOpen && !isKnown ? [{ type: 'DeadLetterRedriveFailed', data: command.failure }] : [];
      }
      case 'ReportDelivered':
        return state.entry ? [{ type: 'DeadLetterDelivered', data: command.delivery }] : [];
      case 'MarkDeadLetterDead': {
        const isDead = existing(state, command).status === 'dead';
        return isDead ? [] : [{ type: 'DeadLetterMarkedDead', data: { dlqId: command.dlqId } }];
      }
      case 'DeleteDeadLetter':
        existing(state, command);
        return [{ type: 'DeadLetterDeleted', data: { dlqId: command.dlqId } }];
    }
  },
};

export const deadLetterTarget = targetOf(deadLetterStream, deadLetterDecider);

/** An entry of another organization does not exist. */
export const existing = (
  { entry }: DeadLetterState,
  { dlqId, organizationId }: ExistingDeadLetter,
): DeadLetter => {
  if (entry?.organizationId !== organizationId) throw new Rejection('dead_letter_not_found', { dlqId });
  return entry;
};
