import type { Buffer } from 'node:buffer';
import { acceptedAt, givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { topicNameOf } from '@roomwire/shared/domain/topic';
import { positionOf } from '@roomwire/shared/wire/protocol/position';
import { binaryFrame, bodyWithMeta } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { MessageMeta } from '@roomwire/shared/wire/protocol/serverFrames';

/** What `meta` is made of. */
export type Described = Pick<LiveMessage, 'id' | 'publisher' | 'room' | 'topic' | 'kept' | 'place'>;

/** [WS-META-2] */
export const metaOf = (message: Described, position = positionIn(message)): MessageMeta => {
  const { id, publisher } = message;
  const meta = {
    id: givenIdOf(id) ?? id,
    at: acceptedAt(id),
    from: publisher === '' ? null : publisher,
  };
  return position === undefined ? meta : { ...meta, position };
};

/** [WS-HIST-2] Undefined for a message that is not kept, or has not come from the bus. */
export const positionIn = ({ kept, place, room, topic }: Described): string | undefined => {
  if (kept === undefined || place === undefined) return undefined;
  const { roomId, accessScopeId } = kept;
  return positionOf({ room, roomId, accessScopeId, name: topicNameOf(topic) }, place);
};

/** [WS-META-3] The frames of a message for those who ask for `meta` and for the others, each made once and only if somebody gets it. */
export class MessageFrames {
  readonly message: Described & Pick<LiveMessage, 'body'>;
  private withoutMeta: Buffer | undefined;
  private withMeta: Buffer | undefined;

  constructor(message: Described & Pick<LiveMessage, 'body'>) {
    this.message = message;
  }

  get plain(): Buffer {
    return (this.withoutMeta ??= binaryFrame(this.message.body));
  }

  for({ meta }: { readonly meta: boolean }): Buffer {
    if (!meta) return this.plain;
    return (this.withMeta ??= binaryFrame(bodyWithMeta(this.message.body, metaOf(this.message))));
  }
}
