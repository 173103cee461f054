import type { Channel } from './channel.js';
import { liveMessages, type LiveMessage } from './liveMessage.js';

/** How long messages are kept, in days, by class. */
const retentionDays = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 } as const;
export type RetentionClass = keyof typeof retentionDays;

export const retentionClasses = Object.keys(retentionDays) as readonly RetentionClass[];

const dayMs = 86_400_000;

/** Milliseconds. */
export const retentionMs = (retention: RetentionClass): number => retentionDays[retention] * dayMs;

const channelOf = (retention: RetentionClass): Channel<LiveMessage> => ({
  ...liveMessages,
  name: `recorded-${retention}`,
});

/** Messages of topics that are logged, by how long they are kept. Only programs of customers read them live. */
export const recordedMessages: { readonly [R in RetentionClass]: Channel<LiveMessage> } = {
  '1d': channelOf('1d'),
  '7d': channelOf('7d'),
  '30d': channelOf('30d'),
  '90d': channelOf('90d'),
};
