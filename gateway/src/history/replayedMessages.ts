import type { KeptMessage } from '@roomwire/shared/ports/history';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import { comparePlaces, type Place } from '@roomwire/shared/wire/protocol/position';

/** Their ids take some 15 MB at most. */
const remembered = 50_000;

/** Whether a message may be on the bus twice under one id. */
export const mayComeTwice = ({ qos, id }: Pick<LiveMessage, 'qos' | 'id'>): boolean =>
  qos === 2 || givenIdOf(id) !== undefined;

/** [WS-HIST-7] What was replayed here, as far as it may come once more: this gateway may not have seen it live. */
export class ReplayedMessages {
  private readonly places = new Map<string, Place>();

  replayed({ message, place }: Pick<KeptMessage, 'message' | 'place'>): void {
    if (!mayComeTwice(message)) return;
    this.places.delete(message.id);
    this.places.set(message.id, place);
    if (this.places.size > remembered) this.places.delete(this.places.keys().next().value as string);
  }

  /** Whether it stands behind the same message in the record. */
  isSecondCopy({ id, place }: Pick<LiveMessage, 'id' | 'place'>): boolean {
    const first = this.places.get(id);
    return first !== undefined && place !== undefined && comparePlaces(first, place) < 0;
  }
}
