import { acceptedAt, connectionOf, givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import type { HistoryView, KeptMessage } from '@roomwire/shared/ports/history';
import type { Place } from '@roomwire/shared/wire/protocol/position';

/** A message of a topic, and what has decided to whom it went. */
export interface TracedMessage {
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  /** Unix milliseconds at which it was accepted. */
  readonly at: number;
  /** Nobody published it: what would have become of one at that time, without filters and of nobody who is asked about. */
  readonly isHypothetical: boolean;
  /** As its publisher gave it, otherwise one that was made; undefined for one that nobody published. */
  readonly id: string | undefined;
  /** Its own over all gateways; undefined as above. */
  readonly messageId: string | undefined;
  /** `actorTokenId`; empty for a backend, undefined for nobody. */
  readonly publisher: string | undefined;
  /** The mark of the connection that published it; of a gateway alone, or undefined, where there was none. */
  readonly publishedBy: string | undefined;
  readonly filters: readonly string[];
  readonly place: Place | undefined;
  /** When the numbering ended in which its place is; undefined while it goes on. */
  readonly nextEpoch: number | undefined;
}

export const keptMessage = (
  { place, message }: KeptMessage,
  { epoch }: Pick<HistoryView, 'epoch'>,
): TracedMessage => ({
  room: message.room,
  topic: message.topic,
  at: acceptedAt(message.id),
  isHypothetical: false,
  id: givenIdOf(message.id) ?? message.id,
  messageId: message.id,
  publisher: message.publisher,
  publishedBy: connectionOf(message.id),
  filters: message.filters,
  place,
  nextEpoch: epoch > place.epoch ? epoch : undefined,
});

export const hypotheticalMessage = (room: string, topic: string, at: number): TracedMessage => ({
  ...{ room, topic, at, isHypothetical: true, filters: [] },
  ...{ id: undefined, messageId: undefined, publisher: undefined, publishedBy: undefined },
  ...{ place: undefined, nextEpoch: undefined },
});
