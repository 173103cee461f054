import type { Published } from '../run/published.js';
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

/** One that is published again by its publisher, or, now and then while everybody is busy, another one under the same id. */
export const repeatedMessage = (world: World, actor: string): Published | undefined => {
  const { history, chance, outboxes, isBusy } = world;
  const outbox = outboxes.of(actor);
  const dice = chance.below(10);
  if (!isBusy || dice < 7) return outbox.unanswered(chance);
  const found = outbox.any(chance);
  if (found === undefined || dice < 9) return found;
  const other = history.publication(actor, found);
  outbox.add(other);
  return other;
};

export const anyTopic = ({ chance }: World, estate: Estate): { room: string; topic: string; name: string } =>
  chance.oneOf(topicsOf(estate));
