import type { Channel } from '../../ports/messageBus.js';
import type { RetentionClass } from '../../ports/messageRecord.js';
import { liveMessages, type LiveMessage } from './liveMessage.js';

const channelOf = (retention: RetentionClass): Channel<LiveMessage> => ({
  ...liveMessages,
  name: `recorded-${retention}`,
});

/** Messages of topics that are logged, by how long they are kept. Nobody reads them live but programs of others. */
export const recordedMessages: { readonly [R in RetentionClass]: Channel<LiveMessage> } = {
  '1d': channelOf('1d'),
  '7d': channelOf('7d'),
  '30d': channelOf('30d'),
  '90d': channelOf('90d'),
};
