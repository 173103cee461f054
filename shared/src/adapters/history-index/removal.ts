import type { Place } from '../../wire/protocol/position.js';
import { isUpTo, type Standing } from './intake.js';

/** A message may come to the bus once more for as long. By the ids of those that are stored it is known. */
export const secondCopyMs = 600_000;

/** So many are stored whatever the bounds of their topic, for their ids. Readers hide them. */
const alwaysStored = 50;

/** How long those who were removed are remembered, so that what is on its way to them makes no history again. */
export const removedOwnersMs = 7 * 86_400_000;

/** What decides on the messages of a topic. */
export interface Removable {
  readonly newest?: Standing | undefined;
  readonly deletedTo?: Place | undefined;
  readonly seconds: number;
  readonly messages: number;
}

/** Messages up to this ordinal are beyond the bound. */
export const lastBeyond = ({ newest, messages }: Removable): number =>
  (newest?.ordinal ?? 0) - Math.max(messages, alwaysStored);

/** From then on a message that was accepted at this time has expired. */
export const expiryOf = (latestAt: number, { seconds }: Pick<Removable, 'seconds'>): number =>
  latestAt + Math.max(seconds * 1_000, secondCopyMs) + 1;

/** True for all messages before one for which it is true. */
export const isRemovable = (message: Standing, topic: Removable, now: number): boolean =>
  isUpTo(message.place, topic.deletedTo) ||
  message.ordinal <= lastBeyond(topic) ||
  expiryOf(message.latestAt, topic) <= now;
