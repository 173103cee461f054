import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Random } from '@roomwire/shared/ports/random';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { executeAsSystem } from '../handling/streamWriter.js';
import { tokenRevocationTarget } from './decider.js';

export interface ExpireRevocationsDeps {
  readonly log: EventLog;
  readonly views: Pick<ViewReader, 'get' | 'find'>;
  readonly clock: Clock;
  readonly random: Random;
}

const readAtOnce = 500;
const appendedAtOnce = 16;

/** What an external actor has scheduled before is judged by its revocation when it is due, and that is this much later at most. */
const onRecordMs = limitTable.scheduleAhead.value;

/**
 * Ends the revocations that are kept no longer, once nothing is scheduled that they are about. Any number of processes may do so at a time: each is decided on its stream. Rejects with
 * `EngineUnavailable`.
 */
export const expireRevocations = async (deps: ExpireRevocationsDeps): Promise<void> => {
  const { views, clock } = deps;
  const until = new Date(clock.now() - onRecordMs).toISOString();
  // The read models may not show yet what was appended: each is looked at once.
  for (let after = ''; ;) {
    const due = await views.find('tokenRevocations', {
      filter: { keptUntil: { $gt: after, $lte: until } },
      sort: [['keptUntil', 1]],
      limit: readAtOnce,
    });
    const waiting = [...due];
    const expireNext = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await expire(deps, next, until);
    };
    await Promise.all(Array.from({ length: appendedAtOnce }, expireNext));
    if (due.length < readAtOnce) return;
    after = due.at(-1)?.keptUntil ?? until;
  }
};

/** That of a project that is deleted goes with it. */
const expire = async (
  deps: ExpireRevocationsDeps,
  { revocationId, projectId }: { readonly revocationId: string; readonly projectId: string },
  until: string,
): Promise<void> => {
  const project = await deps.views.get('projects', projectId);
  if (project === undefined) return;
  const owner = { projectId, organizationId: project.organizationId };
  const command = { type: 'ExpireRevocation', until } as const;
  await executeAsSystem(deps, tokenRevocationTarget(revocationId), command, owner);
};
