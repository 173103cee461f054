import { acceptedAt } from '../wire/bus/messageId.js';
import type { HistoryBounds } from '../domain/topicHistory.js';
import type { HistoryView, KeptMessage, Removals } from '../ports/history.js';
import { comparePlaces, type Place } from '../wire/protocol/position.js';

/** What a topic shows of its record: its own bounds hold, however long the record itself is kept. */
export class BoundedView {
  readonly view: HistoryView;
  private readonly notBefore: number;
  private readonly lastHidden: number;

  /** `now`: Unix milliseconds. */
  constructor(view: HistoryView, { seconds, messages }: HistoryBounds, now: number) {
    this.view = view;
    this.notBefore = now - seconds * 1_000;
    this.lastHidden = (view.newest?.ordinal ?? 0) - messages;
  }

  /** Whether a message is one of the newest, and not too old. */
  shows({ ordinal, message }: Pick<KeptMessage, 'ordinal' | 'message'>): boolean {
    return ordinal > this.lastHidden && acceptedAt(message.id) >= this.notBefore;
  }

  /** Whether neither a message nor any before it is shown. */
  endsBefore({ ordinal, latestAt }: Pick<KeptMessage, 'ordinal' | 'latestAt'>): boolean {
    return ordinal <= this.lastHidden || latestAt < this.notBefore;
  }

  /** Whether something behind a place (undefined: the beginning) is known to have been removed or deleted. */
  hasLostBehind(place: Place | undefined): boolean {
    return includesBehind(this.view, place);
  }

  /** Whether something behind a place is gone by now, so that what was read may be short of it. Rejects with `EngineUnavailable`. */
  async hasMeanwhileLostBehind(place: Place | undefined): Promise<boolean> {
    return includesBehind(await this.view.removals(), place);
  }
}

const includesBehind = ({ removedTo, deletedTo }: Removals, place: Place | undefined): boolean =>
  [removedTo, placeOfDeletion(deletedTo)].some((to) => to !== undefined && isBehind(to, place));

/** The newest message that was deleted stands before it: its position, too, is one behind which something is missing. */
export const placeOfDeletion = (deletedTo: Place | undefined): Place | undefined =>
  deletedTo && { ...deletedTo, isDeletion: true };

/** Undefined is the beginning. */
export const isBehind = (place: Place, other: Place | undefined): boolean =>
  other === undefined || comparePlaces(place, other) > 0;
