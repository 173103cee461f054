import type { Login } from '../jobs.js';
import { admitted, subscribed } from '../join.js';
import { publishFrame, stamped } from '../message.js';
import { binaryLayout } from './binaryLayout.js';
import type { Wire } from './wire.js';

type Tokens = Extract<Login, { protocol: 'roomwire' }>;

export const roomwireWire = ({ publisherToken, subscriberTokens }: Tokens): Wire => ({
  layout: binaryLayout,
  subscriber: ({ port, index, topic, ...choice }) =>
    subscribed(port, subscriberTokens[index % subscriberTokens.length] ?? '', topic, choice),
  publisher: (port) => admitted(port, publisherToken),
  publishFrame,
  stamped,
});
