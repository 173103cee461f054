import type { Buffer } from 'node:buffer';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Audience } from './audience.js';
import { MessageFrames } from './messageFrames.js';
import type { Subscriber } from './subscriber.js';

/** Subscribers with filters that match a message. */
export interface Matching {
  readonly plain: readonly Subscriber[];
  readonly asking: readonly Subscriber[];
}

export const matchingIn = ({ plain, asking }: Audience, { filters }: LiveMessage): Matching => ({
  plain: plain.matching(filters),
  asking: asking.matching(filters),
});

/** To all in the audience, within the call. Returns the number of deliveries. */
export const deliverAtOnce = (message: LiveMessage, audience: Audience, matching: Matching): number => {
  if (message.retention !== undefined) return deliverRetained(message, message.retention, audience, matching);
  const { plain, asking } = audience;
  const { publisher } = message;
  const frames = new MessageFrames(message);
  let deliveries = 0;
  if (plain.unfiltered.length + matching.plain.length > 0) {
    deliveries += pushToOthers(frames.plain, plain.unfiltered, publisher);
    deliveries += pushToOthers(frames.plain, matching.plain, publisher);
  }
  if (!asking.isEmpty) {
    deliveries += pushAsAsked(frames, asking.unfiltered, message);
    deliveries += pushAsAsked(frames, matching.asking, message);
  }
  return deliveries + deliverToHolding(message, audience, frames);
};

/** To those of whom each has a hold that takes it. */
export const deliverToHolding = (
  message: LiveMessage,
  { holding }: Audience,
  frames: MessageFrames,
): number => {
  if (holding.isEmpty) return 0;
  const holders = [...holding.unfiltered, ...holding.matching(message.filters)];
  if (message.retention === undefined) return pushAsAsked(frames, holders, message);
  return pushAsAsked(frames, missing(holders, message, message.retention), message);
};

/** To subscribers that ask for nothing: the loop that most messages take. */
const pushToOthers = (frame: Buffer, subscribers: readonly Subscriber[], publisher: string): number => {
  let deliveries = 0;
  for (const { actorTokenId, outbox } of subscribers) {
    if (actorTokenId === publisher) continue;
    outbox.push(frame);
    deliveries++;
  }
  return deliveries;
};

const pushAsAsked = (
  frames: MessageFrames,
  subscribers: readonly Subscriber[],
  message: LiveMessage,
): number => {
  let deliveries = 0;
  for (const subscriber of subscribers) {
    if (!subscriber.getsLive(message)) continue;
    subscriber.deliver(frames.for(subscriber), message);
    deliveries++;
  }
  return deliveries;
};

const deliverRetained = (
  message: LiveMessage,
  retention: Retention,
  audience: Audience,
  matching: Matching,
): number => {
  const { plain, asking } = audience;
  const all = [plain.unfiltered, matching.plain, asking.unfiltered, matching.asking].flat();
  const frames = new MessageFrames(message);
  const deliveries = pushAsAsked(frames, missing(all, message, retention), message);
  return deliveries + deliverToHolding(message, audience, frames);
};

type Retention = NonNullable<LiveMessage['retention']>;

/** [WS-RETAIN-3] Subscribers that were sent this message, or a newer one, as the last value do not get it again. */
const missing = (
  subscribers: readonly Subscriber[],
  { id }: LiveMessage,
  { stamp }: Retention,
): readonly Subscriber[] => {
  const value = { stamp, id };
  const without = subscribers.filter((one) => one.needsLive(value));
  for (const subscriber of without) subscriber.sentLive(value);
  return without;
};
