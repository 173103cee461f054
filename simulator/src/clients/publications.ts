import type { StartPoint } from '@roomwire/shared/wire/protocol/startPoint';
import type { RecordRequest } from '../run/historyReads.js';
import type { Published } from '../run/published.js';
import type { Bookmarks } from './bookmarks.js';
import { epochMs } from '../cluster/simulatedProcess.js';
import { topicsOf, type Estate, type World } from './world.js';

export const filters = ['red', 'blue'] as const;

/** A message that nobody has published yet, to one of the topics. Half of them have an id. */
export const newMessage = (
  { history, chance, outboxes }: World,
  actor: string,
  { room, topic }: { readonly room: string; readonly topic: string },
  qos: number,
): Published => {
  const filter = chance.below(3) === 0 ? chance.oneOf(filters) : undefined;
  const isRetained = chance.below(12) === 0;
  const givenId = chance.below(2) === 0 ? `order:${history.published.length}` : undefined;
  const message = history.publication(actor, { room, topic, qos, filter, isRetained, givenId });
  if (givenId !== undefined) outboxes.of(actor).add(message);
  return message;
};

const longestWaitMs = 15_000;

/** [WS-LATER-1] One that is to be delivered later, or now because its time is past. All have an id, so that they are published until they are accepted. */
export const laterMessage = (
  { history, chance, outboxes, time }: World,
  actor: string,
  { room, topic }: { readonly room: string; readonly topic: string },
): Published => {
  const deliverAt = Math.floor(time.now - 1_000 + chance.next() * longestWaitMs);
  const isRetained = chance.below(12) === 0;
  const givenId = `later:${history.published.length}`;
  const publication = {
    room,
    topic,
    qos: chance.below(3),
    filter: undefined,
    isRetained,
    givenId,
    deliverAt,
  };
  const message = history.publication(actor, publication);
  outboxes.of(actor).add(message);
  return message;
};

/** One that is published again by its publisher, or, now and then while everybody is busy, another one under the same id. */
export const repeatedMessage = (world: World, actor: string): Published | undefined => {
  const { history, chance, outboxes, isBusy } = world;
  const outbox = outboxes.of(actor);
  const dice = chance.below(10);
  if (!isBusy || dice < 7) return outbox.unanswered(chance);
  const found = outbox.any(chance);
  if (found === undefined || found.isLater || dice < 9) return found;
  const other = history.publication(actor, found);
  outbox.add(other);
  return other;
};

export const anyTopic = ({ chance }: World, estate: Estate): { room: string; topic: string; name: string } =>
  chance.oneOf(topicsOf(estate));

/** Mostly where the client is, and now and then where nothing of the topic is. */
const anyPosition = ({ chance }: World, topic: string, bookmarks: Bookmarks): string => {
  const dice = chance.below(20);
  if (dice === 0) return 'nowhere';
  const others = bookmarks.any();
  if (dice === 1 && others.length > 0) return chance.oneOf(others);
  return dice < 5 ? '' : bookmarks.of(topic);
};

/** [WS-HIST-4] */
export const anyStart = (world: World, topic: string, bookmarks: Bookmarks): StartPoint => {
  const { chance, time } = world;
  const dice = chance.below(10);
  if (dice < 2) return { last: chance.below(25) };
  if (dice < 3) return { since: epochMs + Math.floor(chance.next() * time.now) };
  return { position: anyPosition(world, topic, bookmarks) };
};

/** [WS-HIST-12] */
export const anyPage = (world: World, topic: string, bookmarks: Bookmarks): RecordRequest => {
  const { chance } = world;
  const [position, limit] = [anyPosition(world, topic, bookmarks), 1 + chance.below(40)];
  const isUpwards = chance.below(2) === 0;
  return { topic, limit, before: isUpwards ? undefined : position, after: isUpwards ? position : undefined };
};
