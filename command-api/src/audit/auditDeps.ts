import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { CreateViewFold } from '@roomwire/shared/ports/viewFold';

/** What questions about the past are answered from. */
export interface AuditDeps {
  readonly log: Pick<EventLog, 'head'>;
  readonly auditIndex: AuditIndex;
  readonly createFold: CreateViewFold;
}

const patienceMs = 2_000;

/**
 * Resolves when the index holds whatever was answered before this question was asked. Rejects while it is behind, as it
 * is when it is made anew: half of a history would be a wrong answer.
 */
export const upToDate = async ({ log, auditIndex }: AuditDeps): Promise<void> => {
  const head = await log.head();
  if (head === undefined || (await auditIndex.reached(head, patienceMs))) return;
  throw new EngineUnavailable('audit index', { cause: new Error('It has not come up to the log yet') });
};
