import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Config } from '../config/config.js';
import type { Finding } from './finding.js';
import { judgeLag, type Lag } from './rules.js';

/** How far those that follow the log on EventStoreDB are behind it. */
export const checkLag = async (
  { eventStoreUrl }: Config,
  checkpoints: ReadonlyMap<Lag['follower'], LogPosition | undefined>,
  now: () => number,
): Promise<readonly Finding[]> => {
  if (eventStoreUrl === undefined) return [];
  const { openEventStoreDbLog } =
    await import('@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog');
  const log = await openEventStoreDbLog({ url: eventStoreUrl });
  try {
    const head = await log.head();
    const findings: Finding[] = [];
    for (const [follower, checkpoint] of checkpoints) {
      const missingSinceMs = await missingSince(log, checkpoint, head, now);
      findings.push(judgeLag({ follower, head, checkpoint, isKept: true, missingSinceMs }));
    }
    return findings;
  } finally {
    await log.close();
  }
};

const missingSince = async (
  log: EventLog,
  checkpoint: LogPosition | undefined,
  head: LogPosition | undefined,
  now: () => number,
): Promise<number | undefined> => {
  if (head === undefined || (checkpoint !== undefined && checkpoint >= head)) return undefined;
  for await (const [first] of log.readAll(checkpoint))
    if (first !== undefined) return Math.max(0, now() - Date.parse(first.metadata.occurredAt));
  return undefined;
};
