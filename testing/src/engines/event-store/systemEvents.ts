import { randomUUID } from 'node:crypto';
import type { TransactionLog } from './transactionLog.js';

const systemEvent = (type: string) => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.alloc(0),
});

/** A new server has some; not all of their types begin with a `$`. */
export const writeFirstSystemEvents = async (log: TransactionLog): Promise<void> => {
  if (log.length > 0) return;
  for (const [stream, type] of [
    ['$$$stats-127.0.0.1', '$metadata'],
    ['$settings', 'update'],
    ['$user-admin', '$User'],
    ['$users', '$UserCreated'],
  ] as const) {
    await log.append({ stream, expected: 'none', events: [systemEvent(type)] });
  }
};

/** What a server writes about itself every half minute. */
export const writeStatistics = async (log: TransactionLog, count: number): Promise<void> => {
  const events = Array.from({ length: count }, () => systemEvent('$statsCollected'));
  await log.append({ stream: '$stats-127.0.0.1', expected: 'any', events });
};
