import type { StoredSession } from '../../ports/sessionStore.js';
import { roughSize } from '../../runtime/roughSize.js';
import { limitTable } from '../../wire/limits/limitTable.js';

/** What stores keep at most. */
export interface SessionLimits {
  readonly perActor: number;
  readonly bytesPerProject: number;
}

export const defaultSessionLimits: SessionLimits = {
  perActor: limitTable.sessionsPerActor.value,
  bytesPerProject: limitTable.sessionBytes.value,
};

/** Of a session without subscriptions, with its index entries. */
const overheadBytes = 500;

/** About what a session takes, in bytes. */
export const sessionSize = ({ subscriptions }: StoredSession): number =>
  overheadBytes + roughSize(subscriptions);

/** Sessions that were stored before they named their project have none. */
export const projectOf = ({ projectId }: Pick<Partial<StoredSession>, 'projectId'>): string =>
  projectId ?? '';
